import { expect, test } from 'vitest';
import { parsePullSecret } from '../../src/platform/secrets.ts';

test('a pull secret is parsed by registry; anything else gives null', () => {
  const text = JSON.stringify({
    auths: { 'quay.io': { auth: 'dTpw', email: 'a@b' }, 'r.example:5000': {} },
  });
  expect([...(parsePullSecret(text) ?? [])]).toEqual([
    ['quay.io', { auth: 'dTpw', email: 'a@b' }],
    ['r.example:5000', {}],
  ]);
  expect(parsePullSecret('{"auths":{}}')).toEqual(new Map());
  for (const none of [
    '',
    'no JSON',
    'null',
    '[]',
    '{}',
    '{"auths":[]}',
    '{"auths":null}',
    '{"auths":{"quay.io":null}}',
    '{"auths":{"quay.io":[]}}',
    '"auths"',
  ])
    expect(parsePullSecret(none)).toBeNull();
});
