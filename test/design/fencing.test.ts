import { expect, test } from 'vitest';
import { renderExampleFencingFile } from '../../src/design/example.ts';
import {
  checkFencingFile,
  listFencingSecrets,
  parseFencingFile,
  parseRedfishAddress,
} from '../../src/design/fencing.ts';
import { createExampleDesign } from '../support/example-document.ts';

const design = createExampleDesign('fencing');
const example = renderExampleFencingFile(['m1', 'm2']);
const listRules = (text: string | null, isPrivate = true) =>
  checkFencingFile(text, isPrivate, design).map(({ severity, rule }) => `${severity} ${rule}`);

test('the example has no problems, by name or by full name, and in any letter case of the keys', () => {
  expect(listRules(example)).toEqual([]);
  expect(listRules(example.replaceAll(/hostName: (m\d)/g, 'hostname: $1.ocp45.example.localdomain'))).toEqual([]);
  expect(listRules(example.replaceAll(/ +certificateVerification.*\n/g, ''))).toEqual([]);
});

test('a topology without fencing needs no file, and none is checked', () => {
  expect(checkFencingFile(null, false, createExampleDesign('compact'))).toEqual([]);
});

test('a missing file is a warning that says what to write', () => {
  const [problem] = checkFencingFile(null, true, design);
  expect(problem).toMatchObject({ severity: 'warning', rule: 'fencing-missing', path: 'credentials.fencingFile' });
  expect(problem?.message).toContain('./fencing.yaml');
  const unnamed = { ...design, credentials: { ...design.credentials, fencingFile: null } };
  expect(checkFencingFile(null, true, unnamed)[0]?.message).toMatch(/^The fencing credentials file is not set yet$/);
});

test('a file that others can read is an error with the command that repairs it', () => {
  const [problem, ...others] = checkFencingFile(example, false, design);
  expect(problem).toMatchObject({ severity: 'error', rule: 'fencing-mode' });
  expect(problem?.fix).toContain('`chmod 600 ./fencing.yaml`');
  expect(others).toEqual([]);
});

const withAddress = (address: string) => example.replace(/redfish\+https:\/\/192\.0\.2\.11\S*/, address);

test.each([
  ['no YAML', 'a: [', 'error fencing-file'],
  ['another document', 'auths: {}', 'error fencing-file'],
  ['an empty list', 'credentials: []', 'error fencing-file'],
  ['more than the list', `${example}other: 1\n`, 'error fencing-file'],
  [
    'an unknown key',
    example.replace('  username', '  macAddress: 00:50:56:96:37:c8\n  username'),
    'error fencing-file',
  ],
  ['a password that YAML reads as a number', example.replace('"example-m1"', '12345678'), 'error fencing-file'],
  ['no user', example.replace('username: fencing', 'username:'), 'error fencing-file'],
  ['another verification', example.replace(': Enabled', ': false'), 'error fencing-file'],
  ['one node', renderExampleFencingFile(['m1']), 'error fencing-nodes'],
  ['a node twice', renderExampleFencingFile(['m1', 'm2', 'm2']).replace('.13/', '.14/'), 'error fencing-nodes'],
  ['another node', renderExampleFencingFile(['m1', 'm2', 'w1']), 'error fencing-nodes'],
  ['IPMI', withAddress('ipmi://192.0.2.11'), 'error fencing-address'],
  ['plain HTTP', withAddress('redfish+http://192.0.2.11/redfish/v1/Systems/1'), 'error fencing-address'],
  ['no system', withAddress('redfish+https://192.0.2.11'), 'error fencing-address'],
  ['a login in the URL', withAddress('redfish+https://a:b@192.0.2.11/redfish/v1/Systems/1'), 'error fencing-address'],
  ['one address for both', example.replace('192.0.2.12', '192.0.2.11'), 'error fencing-address'],
  ['a password with a meaning in a shell', example.replace('"example-m1"', '"a$b;c d"'), 'warning fencing-password'],
  ['no verification', example.replace(': Enabled', ': Disabled'), 'warning fencing-unverified'],
])('%s is found', (_case, text, expected) => {
  expect(listRules(text)).toEqual([expected]);
});

test('no problem repeats a user, a password or an address of the file', () => {
  const wrong = example
    .replaceAll('username: fencing', 'username: "secret user"')
    .replaceAll(/"example-\w+"/g, '"secret$word"')
    .replaceAll('redfish+https', 'ipmi')
    .replace('hostName: m2', 'hostName: secret-host');
  const problems = checkFencingFile(wrong, false, design);
  expect(problems.length).toBeGreaterThan(3);
  expect(JSON.stringify(problems)).not.toMatch(/secret|192\.0\.2|ipmi:/);
});

test('the credentials have the name of the Node, the port of https, and the verification', () => {
  const { credentials } = parseFencingFile(example.replace(/ +certificateVerification.*\n/, ''), design);
  expect(
    credentials.map(({ hostName, address, certificateVerification }) => [hostName, address, certificateVerification]),
  ).toEqual([
    ['m1.ocp45.example.localdomain', 'redfish+https://192.0.2.11:443/redfish/v1/Systems/1', 'Enabled'],
    ['m2.ocp45.example.localdomain', 'redfish+https://192.0.2.12:443/redfish/v1/Systems/1', 'Enabled'],
  ]);
});

test.each([
  ['idrac-redfish+https://192.0.2.1/redfish/v1/Systems/System.Embedded.1', '192.0.2.1', 443],
  ['ilo5-redfish://bmc.example.com:8443/redfish/v1/Systems/1/', 'bmc.example.com', 8443],
  ['https://[2001:db8::1]:8000/redfish/v1/Systems/a-b', '2001:db8::1', 8000],
])('the host and the port of %s', (address, host, port) => {
  expect(parseRedfishAddress(address)).toMatchObject({ host, port });
});

test('the passwords are secrets', () => {
  expect(listFencingSecrets(example)).toEqual(['example-m1', 'example-m2']);
  expect(listFencingSecrets('not YAML: [')).toEqual([]);
});
