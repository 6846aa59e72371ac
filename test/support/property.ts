// Property tests use one seed for every run: a failure comes from the change and can be repeated.
// UPI_WIZARD_SEED=random searches elsewhere (and prints the seed of a failure); UPI_WIZARD_SEED=N repeats that one.
import fc from 'fast-check';

const requestedSeed = process.env.UPI_WIZARD_SEED;
if (requestedSeed !== 'random') fc.configureGlobal({ seed: Number(requestedSeed ?? 20_200_713) });

/** Seed for one round of a test that runs in several: different in each round, the same at every run. */
export function deriveSeed(round: number): number {
  return (fc.readConfigureGlobal().seed ?? Date.now()) + round;
}

/**
 * Any character that UTF-8 can hold: fast-check's `binary` without its table of all 1,112,064 of them, which takes
 * seconds to make.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));

// biome-ignore lint/style/noDefaultExport: the tests know it by the name of the library.
export default fc;
