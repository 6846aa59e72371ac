// Property tests with one seed for every run: a red run says something about the change, and is the same again.
// UPI_WIZARD_SEED=random looks elsewhere (the seed of what it finds is printed); UPI_WIZARD_SEED=N goes there again.
import fc from 'fast-check';

const asked = process.env.UPI_WIZARD_SEED;
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked ?? 20_200_713) });

/** Where the rounds of a test that is run in several start: each elsewhere, and the same at every run. */
export function seedOf(round: number): number {
  return (fc.readConfigureGlobal().seed ?? Date.now()) + round;
}

/**
 * Any character that UTF-8 can hold: what fast-check calls `binary`, without its table of all 1,112,064 of them, which takes
 * seconds to make.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));

// biome-ignore lint/style/noDefaultExport: the tests know it by the name of the library.
export default fc;
