import { expect, test } from 'vitest';
import { createRedactor } from '../../src/installer/redact.ts';
import fc from '../support/property.ts';

const PASSWORD = 'aB3dE-fGh1J-kLm2N-pQr5T';
const TOKEN = 'b3BlbnNoaWZ0K3VzZXI6Tk9UQVJFQUxUT0tFTjEyMzQ1Njc4OTA=';
const INNER = 'NOTAREALTOKEN1234567890';
const redact = createRedactor([PASSWORD, TOKEN, INNER]);

const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => `before ${secret} after`,
  'inside a word': (secret) => `x${secret}x`,
  quoted: (secret) => JSON.stringify({ some: secret }),
  'quoted twice': (secret) => JSON.stringify(JSON.stringify({ some: secret })),
  'percent-encoded': (secret) => `https://x/?q=${encodeURIComponent(secret)}&y`,
  'in base64': (secret) => `data:;base64,${Buffer.from(`{"a": "${secret}"}`).toString('base64')}`,
  'in base64, one on': (secret) => Buffer.from(`.{"a": "${secret}"}`).toString('base64'),
  'in base64, two on': (secret) => Buffer.from(`..{"a": "${secret}"}`).toString('base64'),
  'over two lines': (secret) => `a ${secret.slice(0, 9)}\n    ${secret.slice(9)} b`,
  'as two strings': (secret) => `"${secret.slice(0, 9)}" + "${secret.slice(9)}"`,
  'broken by an escaped newline': (secret) => `${secret.slice(0, 9)}\\n${secret.slice(9)}`,
};

test.each(Object.keys(FORMS).flatMap((form) => [PASSWORD, TOKEN, INNER].map((secret) => [form, secret] as const)))(
  'a secret does not show %s',
  (form, secret) => {
    const out = redact(FORMS[form]?.(secret) ?? '');
    expect(out).toContain('[hidden]');
    for (let at = 0; at + 12 <= secret.length; at += 1) expect(out).not.toContain(secret.slice(at, at + 12));
    for (const shift of [0, 1, 2]) {
      const middle = Buffer.from('.'.repeat(shift) + secret)
        .toString('base64')
        .slice(4, 20);
      expect(out).not.toContain(middle);
    }
  },
);

test('other text stays as it is', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 40 }), (text) => {
      expect(redact(text)).toBe(text);
    }),
  );
  expect(redact('level=info msg="API v1.31.6 up"\n  more')).toBe('level=info msg="API v1.31.6 up"\n  more');
});
