import { expect, test } from 'vitest';
import { parseHaproxyConfig, parseVirtualAddresses } from '../../../src/rehearsal/hosts/balancer-conf.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

const CONFIG = 'lb1/etc/haproxy/haproxy.cfg';

test('the generated configuration listens where the names point, with the bootstrap node as backup', () => {
  const listeners = parseHaproxyConfig(generateFileText(exampleSite(), CONFIG));
  expect([...new Set(listeners.map(({ port }) => port))].sort((a, b) => a - b)).toEqual([80, 443, 6443, 9000, 22623]);
  const api = listeners.find(({ port }) => port === 6443);
  expect(api?.members.map(({ name, isBackup }) => [name, isBackup])).toEqual(
    expect.arrayContaining([
      ['m1', false],
      ['m3', false],
    ]),
  );
  expect(api?.members.some(({ address }) => address === '172.16.0.11')).toBe(true);
  const later = parseHaproxyConfig(generateFileText(exampleSite(), CONFIG, 'bootstrap-removed'));
  expect(later.flatMap(({ members }) => members).some(({ address }) => address === '172.16.0.11')).toBe(false);
});

test('listen sections, lists of addresses, comments and IPv6 are read', () => {
  const [first, second] = parseHaproxyConfig(`
defaults
  mode http
listen web # everybody
  bind 172.16.0.1:80,[fd00::1]:8080
  mode tcp
  server "a" 172.16.0.2:8000 check backup
`);
  expect(first).toMatchObject({ name: 'web', address: '172.16.0.1', port: 80, mode: 'tcp' });
  expect(second).toMatchObject({ address: 'fd00::1', port: 8080 });
  expect(first?.members).toEqual([
    { name: 'a', address: '172.16.0.2', port: 8000, isBackup: true, hasTlsCheck: false },
  ]);
});

test('what haproxy would not start with is refused', () => {
  expect(() => parseHaproxyConfig('bind *:80')).toThrow(/out of section/);
  expect(() => parseHaproxyConfig('listen x\n bind 172.16.0.1')).toThrow(/missing port/);
  expect(() => parseHaproxyConfig('frontend x\n bind *:80\n default_backend y')).toThrow(/unable to find/);
  expect(() => parseHaproxyConfig('frontend x\n bind *:80\n default_backend x')).toThrow(/unable to find/);
  const parseLine = (line: string) => () => parseHaproxyConfig(`listen x\n bind *:80\n ${line}`);
  expect(parseLine('mod tcp')).toThrow(/haproxy\.cfg:3\] : unknown keyword 'mod' in 'listen' section/);
  for (const line of ['mode udp', 'option tcplg', 'timeout client 1x', 'server a 10.0.0.300:80'])
    expect(parseLine(line), line).toThrow(/haproxy\.cfg:3\]/);
  expect(parseLine('server a 10.0.0.3:80 chek')).toThrow(/unknown keyword 'chek'/);
  expect(parseLine('server a 10.0.0.3:80 check inter 2s fall 3 backup')).not.toThrow();
});

test('the addresses of keepalived are those in its blocks', () => {
  expect(parseVirtualAddresses(generateFileText(exampleSite(), 'lb1/etc/keepalived/keepalived.conf')).sort()).toEqual([
    '172.16.0.110',
    '172.16.0.111',
  ]);
});
