import { expect, test } from 'vitest';
import { parseAccessLine } from '../../../src/host/boot-server/boot-log.ts';

const line =
  '172.16.0.11 - - [21/Nov/2026:22:31:03 +0900] "GET /ignition/bootstrap.ign HTTP/1.1" 200 270123 "-" "Ignition/2.19"';

test('a line of nginx is a request', () => {
  expect(parseAccessLine(line)).toEqual({
    at: Date.parse('2026-11-21T13:31:03Z'),
    client: '172.16.0.11',
    method: 'GET',
    path: '/ignition/bootstrap.ign',
    status: 200,
    bytes: 270123,
    complete: true,
  });
  expect(parseAccessLine(line.replace('200 270123', '403 -'))).toMatchObject({
    status: 403,
    bytes: 0,
    complete: false,
  });
  expect(parseAccessLine(line.replace('172.16.0.11', '2001:DB8::11'))?.client).toBe('2001:db8::11');
});

test.each([
  '',
  'x',
  line.replace('Nov', 'Foo'),
  line.replace('Nov', 'ovD'),
  line.replace('22:31:03', '99:99:99'),
  line.replace('GET', '\\x16\\x03\\x01'),
  line.slice(0, 60),
])('a malformed line is refused: %s', (text) => {
  expect(parseAccessLine(text)).toBeNull();
});

test('control sequences in a logged path are removed', () => {
  expect(parseAccessLine(line.replace('/ignition/', '/\u001b]0;x\u0007'))?.path).not.toContain('\u001b');
});
