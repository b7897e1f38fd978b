/** What a session has seen, in letters and in words. */
const en = {
  letter: { private: "P", untrusted: "U", out: "O" },
  meaning: {
    private: "read something private",
    untrusted: "took in something from outside",
    out: "was asked about for what its session has seen",
  },
};

const it: typeof en = {
  letter: { private: "P", untrusted: "E", out: "U" },
  meaning: {
    private: "ha letto qualcosa di privato",
    untrusted: "ha ricevuto qualcosa da fuori",
    out: "è stata chiesta per ciò che la sua sessione ha visto",
  },
};

export const seenWords = { en, it };
