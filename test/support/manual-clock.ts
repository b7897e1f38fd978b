/** A clock that only moves when it is told to: `now` gives milliseconds. */
export class ManualClock {
  ms: number;

  constructor(iso = "2026-05-04T10:00:00Z") {
    this.ms = Date.parse(iso);
  }

  readonly now = (): number => this.ms;

  advance(seconds: number): void {
    this.ms += seconds * 1000;
  }
}
