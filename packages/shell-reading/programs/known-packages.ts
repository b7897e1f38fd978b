/** Packages that many projects use, by registry: a name that is nearly one of them, and isn't one, is worth a second look. */
const KNOWN: Readonly<Record<string, string>> = {
  npm: `react react-dom react-router react-router-dom preact vue vuex angular svelte next nuxt express koa fastify axios node-fetch lodash underscore
    moment dayjs date-fns chalk commander yargs inquirer webpack webpack-cli rollup esbuild vite vitest jest mocha chai sinon ava eslint prettier
    typescript ts-node tsx nodemon dotenv cors body-parser cookie-parser mongoose mongodb mysql mysql2 redis ioredis sequelize prisma knex
    socket.io jsonwebtoken bcrypt bcryptjs passport helmet winston pino debug uuid nanoid semver glob minimatch rimraf mkdirp fs-extra cross-env
    concurrently husky lint-staged puppeteer playwright cypress electron tailwindcss postcss autoprefixer sass less styled-components classnames color
    zod joi yup ajv immer redux react-redux zustand mobx rxjs graphql apollo-server request superagent cheerio jsdom sharp multer nodemailer
    stripe firebase aws-sdk discord.js telegraf three chart.js d3 jquery bootstrap colors ms tslib core-js regenerator-runtime`,
  PyPI: `requests urllib3 numpy pandas scipy matplotlib scikit-learn tensorflow torch torchvision keras django flask fastapi uvicorn gunicorn
    starlette pydantic sqlalchemy alembic psycopg2 psycopg2-binary pymysql pymongo redis celery boto3 botocore beautifulsoup4 lxml selenium
    scrapy httpx aiohttp pytest pytest-cov tox mypy black flake8 pylint isort ruff setuptools wheel virtualenv poetry click typer rich tqdm pyyaml
    jinja2 markupsafe werkzeug pillow opencv-python cryptography paramiko python-dateutil python-dotenv pytz six attrs colorama openai anthropic
    transformers huggingface-hub jupyter notebook ipython networkx sympy seaborn plotly`,
  "crates.io": `serde serde_json tokio rand clap regex anyhow thiserror log reqwest hyper futures chrono syn quote libc bytes tracing lazy_static
    itertools rayon axum actix-web diesel sqlx uuid base64 once_cell`,
  RubyGems: "rails rake rspec sinatra puma devise nokogiri sidekiq rubocop bundler pry faraday httparty",
};

/**
 * Names that are nearly one of those, and that many projects use for what they are: of the 5,000 that are fetched most, by registry, and
 * others that are well known themselves. Nothing is compared with them.
 */
const BESIDE: Readonly<Record<string, string>> = {
  npm: "gaxios enquirer colord crypt dargs mquery aws-cdk jsdoc tslint args mssql graphiql",
  PyPI: `psycopg psycopg-binary cattrs pymssql boto scapy pyaml httpr spython usort willow dydantic unicorn simpy bpython grequests fastai
    torchx scipp retworkx ctransformers djongo ipytest pytest-csv hyper`,
};

/** The same of scopes. */
const SCOPES_BESIDE = "@aws-cdk @bazel @remotion";

/** Scopes of npm whose packages are nobody else's. */
const SCOPES =
  "@types @babel @angular @vue @nestjs @aws-sdk @google-cloud @typescript-eslint @testing-library @mui @emotion @reduxjs @tanstack @prisma";

const SETS = new Map(Object.entries(KNOWN).map(([registry, names]) => [registry, names.split(/\s+/)]));

export function knownPackages(registry: string): readonly string[] {
  return SETS.get(registry) ?? [];
}

/** True of a name, or a scope, that is nearly a known one and is meant as it is. */
export function isPopularBeside(registry: string, name: string): boolean {
  return `${BESIDE[registry] ?? ""} ${SCOPES_BESIDE}`.split(/\s+/).includes(name);
}

/** `@types` and the like. */
export const KNOWN_SCOPES: readonly string[] = SCOPES.split(" ");

/** Domains of code, packages and services that many projects reach. */
export const KNOWN_DOMAINS: readonly string[] =
  `github.com githubusercontent.com gitlab.com bitbucket.org codeberg.org npmjs.org npmjs.com yarnpkg.com pypi.org pythonhosted.org python.org
  crates.io rubygems.org packagist.org docker.com docker.io golang.org nodejs.org debian.org ubuntu.com google.com googleapis.com microsoft.com
  apple.com amazonaws.com cloudflare.com openai.com anthropic.com huggingface.co slack.com telegram.org stripe.com`.split(
    /\s+/,
  );
