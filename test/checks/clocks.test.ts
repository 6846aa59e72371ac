import { expect, test } from 'vitest';
import { type ClockReading, compareClocks, findClockDifference, THIS_CLOCK } from '../../src/checks/site/clocks.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { HOUR, SECOND } from '../../src/platform/clock.ts';

const clock = (kind: ClockReading['kind'], name: string, offsetMs: number, uncertaintyMs = 5): ClockReading => ({
  ...{ kind, name, offsetMs, uncertaintyMs },
});
const server = (offsetMs: number, name = '192.168.124.1') => clock('time-server', name, offsetMs);
const api = (offsetMs: number) => clock('api', '', offsetMs, 510);
const host = (name: string, offsetMs: number, uncertaintyMs?: number) => clock('host', name, offsetMs, uncertaintyMs);

/** Lists the title of each difference that the clocks give. */
function listTitles(...others: readonly ClockReading[]): string[] {
  const readings = [THIS_CLOCK, ...others];
  const comparison = compareClocks(readings);
  return readings.flatMap((each) => {
    const found = findClockDifference(comparison, each);
    return found === null ? [] : [catalogue().diagnosis.site.details.clocks.title(found)];
  });
}

test.each<[string, readonly ClockReading[], readonly string[]]>([
  ['clocks that agree', [server(20), api(-300), host('ns1', 900)], []],
  [
    'this machine alone',
    [server(-2 * HOUR), api(-2 * HOUR + 400), host('ns1', -2 * HOUR)],
    ['this machine is 2 h ahead of the time server 192.168.124.1, of ns1 and of the API'],
  ],
  [
    'this machine and a host that follows it, against the time server and the API',
    [server(90 * SECOND), api(90 * SECOND), host('ns1', 10)],
    ['this machine and ns1 are 90 s behind the time server 192.168.124.1 and the API'],
  ],
  [
    'a time server alone',
    [server(3 * HOUR), api(0), host('ns1', 0)],
    ['the time server 192.168.124.1 is 3 h ahead of this machine, of ns1 and of the API'],
  ],
  [
    'one of two time servers',
    [server(0), server(-26 * HOUR, '192.168.124.2')],
    ['the time server 192.168.124.2 is 1 d 2 h behind this machine and the time server 192.168.124.1'],
  ],
  [
    'a host alone',
    [server(0), host('ns1', -90 * SECOND), host('lb1', 0)],
    ['ns1 is 90 s behind this machine, the time server 192.168.124.1 and lb1'],
  ],
  [
    'only two clocks',
    [server(7200 * SECOND)],
    ['clocks differ: the time server 192.168.124.1 is 2 h ahead of this machine'],
  ],
  ['a host whose login took ten seconds', [server(0), host('ns1', -5200, 5200)], []],
  ['the API in whole seconds', [server(0), api(1400)], []],
])('%s', (_, others, titles) => {
  expect(listTitles(...others)).toEqual(titles);
});
