import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { deepCopy, isDeepEqual } from '../../../src/rehearsal/api/objects.ts';
import fc from '../../support/property.ts';

/** JSON-like values that include `undefined` and the keys `__proto__` and `constructor`. */
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(null, true, 0, 1, '', 'a', undefined), tie('list'), tie('record')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  record: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), tie('value'), { maxKeys: 3 }),
})).value;

test('a copy is equal and shares nothing, and two values are the same when Node finds them deeply equal', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const plain = JSON.parse(JSON.stringify([one])) as unknown;
      expect(isDeepStrictEqual(deepCopy(plain), plain)).toBe(true);
      expect(isDeepEqual(one, deepCopy(one))).toBe(true);
      const [left, right] = [deepCopy(one), deepCopy(other)];
      expect(isDeepEqual(left, right)).toBe(isDeepStrictEqual(left, right));
    }),
    { numRuns: 300 },
  );
  const frozen = Object.freeze({ list: Object.freeze([Object.freeze({ name: 'x' })]) });
  const copy = deepCopy(frozen) as { list: { name: string }[] };
  copy.list.push({ name: 'y' });
  expect([copy.list, frozen.list]).toEqual([[{ name: 'x' }, { name: 'y' }], [{ name: 'x' }]]);
});
