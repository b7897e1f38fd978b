/** Short tones, made here: no file is loaded for them. A browser plays none before the user pressed something on the page. */

const GAP_MS = 2000;
/** Hertz, one after the other: a calm one, and one that can't be taken for it. */
const TONES = { request: [660], hazard: [440, 330, 440] } as const;
const TONE_SECONDS = 0.16;
const VOLUME = 0.12;

let context: AudioContext | undefined;
let playedAt = Number.NEGATIVE_INFINITY;

/** At most one within two seconds. */
export function play(kind: keyof typeof TONES): void {
  const now = performance.now();
  if (now - playedAt < GAP_MS) return;
  playedAt = now;
  context ??= new AudioContext();
  void context.resume().then(() => sound(TONES[kind]));
}

function sound(tones: readonly number[]): void {
  if (context === undefined) return;
  const { currentTime, destination } = context;
  for (const [index, frequency] of tones.entries()) {
    const start = currentTime + index * TONE_SECONDS;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = frequency;
    // Faded in and out: a tone that is cut clicks.
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(VOLUME, start + 0.02);
    volume.gain.linearRampToValueAtTime(0, start + TONE_SECONDS);
    tone.connect(volume).connect(destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
  }
}
