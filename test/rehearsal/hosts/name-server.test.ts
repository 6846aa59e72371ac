import { expect, test } from 'vitest';
import { lookUpName, parseNamedConf, parseZone } from '../../../src/rehearsal/hosts/dns.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

const NXDOMAIN = 3;

test('the generated zones resolve forward and reverse', () => {
  const zones = parseNamedConf(generateFileText(exampleSite(), 'ns1/etc/named.conf'));
  const loaded = zones.map(({ name, file }) => parseZone(generateFileText(exampleSite(), `ns1${file}`), name));
  const getFirstAnswer = (name: string, type: string) => lookUpName(loaded, name, type).answers[0]?.data;
  expect(getFirstAnswer('api-int.ocp45.example.localdomain', 'A')).toBe('172.16.0.110');
  expect(getFirstAnswer('m1.ocp45.example.localdomain', 'A')).toBe('172.16.0.21');
  expect(getFirstAnswer('console-openshift-console.apps.ocp45.example.localdomain', 'A')).toBe('172.16.0.111');
  expect(getFirstAnswer('21.0.16.172.in-addr.arpa', 'PTR')).toBe('m1.ocp45.example.localdomain');
  expect(lookUpName(loaded, 'nobody.ocp45.example.localdomain', 'A').code).toBe(NXDOMAIN);
  expect(lookUpName(loaded, 'm1.ocp45.example.localdomain', 'AAAA')).toMatchObject({ code: 0, answers: [] });
});

test('existing names take precedence over wildcards, and aliases are followed', () => {
  const zone = parseZone(
    `$TTL 1h
@ IN SOA ns.example. root.example. ( 1 ; serial
  2h 1h 1w 1h )
  IN NS ns
ns A 10.0.0.1
*  A 10.0.0.2
host.there A 10.0.0.3
www 60 IN CNAME ns
txt TXT "a;b"
`,
    'example',
  );
  const data = (name: string, type = 'A') => lookUpName([zone], name, type).answers.map((record) => record.data);
  expect(data('any.example')).toEqual(['10.0.0.2']);
  expect(data('there.example')).toEqual([]);
  expect(lookUpName([zone], 'other.there.example', 'A').code).toBe(NXDOMAIN);
  expect(data('www.example')).toEqual(['ns.example', '10.0.0.1']);
  expect(data('txt.example', 'TXT')).toEqual(['"a;b"']);
});

test('a zone that named does not load is refused', () => {
  expect(() => parseZone('@ IN NS ns\n', 'example')).toThrow(/SOA/);
  expect(() => parseZone('@ IN SOA a. b. ( 1 2 3 4\n', 'example')).toThrow(/parentheses/);
  expect(() => parseZone('@ IN WHAT 1\n', 'example')).toThrow(/unknown RR type/);
  const head = '@ IN SOA ns.x. a.x. 1 2 3 4 5\n@ IN NS ns.x.\n';
  const wrong = [
    ['a IN A 10.0.0.1.', /line 3: near '10.0.0.1.': bad dotted quad/],
    ['a IN PTR', /unexpected end of input/],
    ['a_b IN A 10.0.0.1', /bad owner name/],
    ['a IN CNAME b\na IN A 10.0.0.1', /CNAME and other data/],
    ['@ IN NS inside', /NS 'inside.example' has no address records/],
    ['$TTL soon', /bad ttl/],
  ] as const;
  for (const [text, message] of wrong) expect(() => parseZone(`${head}${text}\n`, 'example'), text).toThrow(message);
  expect(() => parseNamedConf('zone "x" { type master; file "x.zone" };')).toThrow(
    /named\.conf:1: missing ';' before '}'/,
  );
  expect(() => parseNamedConf('option { };')).toThrow(/unknown option 'option'/);
});
