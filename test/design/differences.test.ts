import { expect, test } from 'vitest';
import { applyDifference, compareStates } from '../../src/design/differences.ts';
import fc from '../support/property.ts';

const anything = fc.anything({ withNullPrototype: false, withSet: true, maxDepth: 4 });

test('the difference of two states leads from one to the other', () => {
  fc.assert(
    fc.property(anything, anything, (before, after) => {
      const difference = compareStates(before, after);
      if (difference === null) expect(after).toEqual(before);
      else expect(applyDifference(before, difference)).toEqual(after);
    }),
  );
});

test('unchanged values are neither read nor sent', () => {
  const large = {
    get loud(): never {
      throw new Error('looked into');
    },
  };
  const before = { large, lines: ['a', 'b', 'c'], at: 1, gone: true };
  const after = { large, lines: ['a', 'x'], at: 1 };
  const difference = compareStates(before, after);
  expect(difference).toEqual({
    inside: [['lines', { elements: [[1, { value: 'x' }]], left: 0, length: 2 }]],
    gone: ['gone'],
  });
  if (difference === null) throw new Error('no difference');
  const received = applyDifference(before, difference) as typeof after;
  expect(received.lines).toEqual(['a', 'x']);
  expect(received.large).toBe(large);
});

test('of a scrolling log only the new lines are sent', () => {
  const lines = Array.from({ length: 1000 }, (_, index) => ({ text: `line ${index}` }));
  const added = [{ text: 'new' }];
  expect(compareStates(lines, [...lines.slice(1), ...added])).toEqual({
    elements: [[999, { value: added[0] }]],
    left: 1,
    length: 1000,
  });
});
