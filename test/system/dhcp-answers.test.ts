import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { generateFiles } from '../../src/artifacts/generate.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { exampleCredentials, exampleImages } from '../support/example-design.ts';
import { exampleDocument } from '../support/example-document.ts';
import { openLab, testInLab, waitUntil } from '../support/lab.ts';
import { wizardExecutable } from '../support/rehearsal-run.ts';

interface JsonCheck {
  readonly id: string;
  readonly subject: string | null;
  readonly result: string;
  readonly evidence: string | null;
}

const COMMANDS = {
  'isc-dhcpd': ['dhcpd', 'exec dhcpd -4 -f -d -cf "$LAB/dhcpd.conf" -lf "$LAB/leases" -pf "$LAB/pid" lan0'],
  kea: ['kea-dhcp4', 'exec kea-dhcp4 -c "$LAB/kea-dhcp4.conf"'],
} as const;

/** Mistakes in each configuration: text, and what replaces it. */
const MISTAKES = {
  'isc-dhcpd': [
    ['domain-name-servers 172.16.0.102;', 'domain-name-servers 172.16.0.102, 8.8.8.8; option interface-mtu 1400;'],
    ['default-lease-time 86400;', 'default-lease-time 60; min-lease-time 60;'],
    ['option subnet-mask 255.255.255.0;', 'option subnet-mask 255.255.0.0;'],
    ['option domain-search "ocp45.example.localdomain";', 'option domain-search "example.com", "other.example.com";'],
    ['option host-name "m1.ocp45.example.localdomain";', 'option host-name "m1";'],
    ['option ntp-servers 192.168.124.1;', 'option ntp-servers 172.16.0.9;'],
    ['option vendor-class-identifier "HTTPClient";', ''],
    ['filename "undionly.kpxe";', 'filename "pxelinux.0";'],
    ['/boot.ipxe', '/old.ipxe'],
  ],
  kea: [
    [
      '"data": "172.16.0.102"',
      '"data": "172.16.0.102, 8.8.8.8" }, { "name": "interface-mtu", "data": "1400", "always-send": true',
    ],
    ['"valid-lifetime": 86400', '"valid-lifetime": 60'],
    [
      '"name": "domain-search",\n            "data": "ocp45.example.localdomain"',
      '"name": "domain-search", "data": "example.com, other.example.com"',
    ],
    ['"hostname": "m1.ocp45.example.localdomain"', '"hostname": "m1"'],
    ['"data": "m1.ocp45.example.localdomain"', '"data": "m1"'],
    ['"data": "192.168.124.1"', '"data": "172.16.0.9"'],
    ['"data": "HTTPClient"', '"data": "HTTPServer"'],
    ['"boot-file-name": "undionly.kpxe"', '"boot-file-name": "pxelinux.0"'],
    ['/boot.ipxe', '/old.ipxe'],
  ],
} as const;

/** Configuration of a foreign server, which gives an address to every client. */
const FOREIGN_CONFIG = `
subnet 172.16.0.0 netmask 255.255.255.0 { range 172.16.0.200 172.16.0.240; option routers 172.16.0.1; }
`;

for (const kind of ['isc-dhcpd', 'kea'] as const) {
  testInLab('dhcpd', COMMANDS[kind][0])(
    `check asks ${kind} as a relay agent what each machine is offered, and finds a wrong lease and a second server`,
    async () => {
      const document = exampleDocument() as { services: Record<string, unknown> };
      const text = JSON.stringify({ ...document, services: { ...document.services, dhcp: { kind, server: 'ns1' } } });
      const { design, problems } = parseDesign(text);
      if (design === null) throw new Error(JSON.stringify(problems));
      const lab = await openLab();
      const put = (name: string, content: string) => {
        mkdirSync(dirname(join(lab.dir, name)), { recursive: true });
        writeFileSync(join(lab.dir, name), content);
      };
      const input = {
        stage: 'install',
        credentials: exampleCredentials,
        images: exampleImages,
        previous: null,
      } as const;
      const { files } = generateFiles({ ...input, design });
      for (const { path, content } of files.filter((each) => /dhcp/.test(each.kind)))
        put(path.slice(path.lastIndexOf('/') + 1), content);
      put('design.yaml', text);
      put('leases', '');
      put('foreign.leases', '');
      put('foreign.conf', FOREIGN_CONFIG);
      await lab.addMachine('bastion', ['172.16.0.101/24']);
      await lab.addMachine('ns1', ['172.16.0.102/24']);
      await lab.addMachine('foreign', ['172.16.0.9/24']);
      await lab.run(null, 'mkdir -p /run/kea /run/lock/kea; mount -t tmpfs tmpfs /var/lib; mkdir /var/lib/kea');
      const startServer = async () => {
        const stop = lab.start('ns1', ['bash', '-c', COMMANDS[kind][1]], 'dhcp.log');
        await waitUntil('the DHCP server', async () =>
          /Sending on +LPF\/lan0|DHCP4_STARTED|DHCPSRV_CFGMGR_SOCKET_RAW/.test(
            readFileSync(join(lab.dir, 'dhcp.log'), 'utf8'),
          )
            ? true
            : null,
        );
        return stop;
      };
      const check = async (machine = 'bastion', ...before: readonly string[]) => {
        const command = [
          ...before,
          process.execPath,
          wizardExecutable,
          'check',
          `${lab.dir}/design.yaml`,
          '--phase',
          'dhcp',
          '--json',
        ];
        const { all } = await lab.run(machine, command.map((word) => `'${word}'`).join(' '));
        if (!all.includes('{')) throw new Error(all);
        return (JSON.parse(all.slice(all.indexOf('{'))) as { readonly checks: readonly JsonCheck[] }).checks;
      };
      // No login is possible there: the interfaces of dhcpd stay unknown.
      const listFailures = (found: readonly JsonCheck[]) =>
        found
          .filter(({ id, result }) => result !== 'ok' && id !== 'dhcp-interface')
          .map(({ id, subject, result }) => `${id} ${result} ${subject}`);

      const stop = await startServer();
      const healthyChecks = await check();
      expect(listFailures(healthyChecks)).toEqual([]);
      expect(healthyChecks.filter(({ id }) => id === 'dhcp-leases')).toHaveLength(design.nodes.length);
      expect(healthyChecks.find(({ subject }) => subject?.startsWith('m1 '))?.evidence).toBe(
        '172.16.0.21, gateway 172.16.0.254',
      );

      // On the server itself, and without root privileges, offers cannot be observed. That is unknown, not failed.
      const serverChecks = await check('ns1');
      expect(serverChecks.find(({ id }) => id === 'dhcp-server')).toMatchObject({
        result: 'unknown',
        evidence: expect.stringContaining('this machine is the DHCP server'),
      });
      const unprivileged = await check('bastion', 'setpriv', '--bounding-set=-all', '--inh-caps=-all');
      expect(unprivileged.find(({ id }) => id === 'dhcp-server')).toMatchObject({
        result: 'unknown',
        evidence: expect.stringContaining('sudo'),
      });

      // Every option is compared, and every kind of firmware is asked for.
      await stop();
      const configFile = kind === 'kea' ? 'kea-dhcp4.conf' : 'dhcpd.conf';
      const generated = readFileSync(join(lab.dir, configFile), 'utf8');
      const withMistakes = MISTAKES[kind].reduce((config, [right, wrong]) => {
        expect(config, right).toContain(right);
        return config.replaceAll(right, wrong);
      }, generated);
      put(configFile, withMistakes);
      const stopWithMistakes = await startServer();
      const wrongOptions = await check();
      const findEvidence = (id: string, subject: string) =>
        wrongOptions.find((each) => each.id === id && each.subject?.startsWith(subject))?.evidence;
      expect(findEvidence('dhcp-leases', 'm1 ')).toBe(
        'name servers 172.16.0.102, 8.8.8.8; the design says 172.16.0.102',
      );
      expect(findEvidence('dhcp-options', 'm1 ')).toBe(
        [
          // Kea derives it from the subnet.
          ...(kind === 'kea' ? [] : ['netmask 255.255.0.0; the design says 255.255.255.0']),
          'hostname m1; the design says m1.ocp45.example.localdomain',
          'search list example.com, other.example.com; the design says ocp45.example.localdomain',
          'time servers 172.16.0.9; the design says 192.168.124.1',
          'MTU 1400; the generated configuration sets none, and machines use 1500',
          'lease time 60 seconds; generated: 86400',
        ].join('; '),
      );
      expect(findEvidence('dhcp-firmware', 'bs BIOS')).toMatch(
        /^pxelinux\.0 from 172\.16\.0\.101; the design says undionly/,
      );
      expect(findEvidence('dhcp-firmware', 'bs UEFI over HTTP')).toMatch(/"HTTPClient"/);
      expect(findEvidence('dhcp-firmware', 'bs iPXE')).toMatch(
        /^http:\S+\/old\.ipxe from .* says http:\S+\/boot\.ipxe/,
      );
      expect(findEvidence('dhcp-firmware', 'bs UEFI over TFTP (architecture 7)')).toBe('ipxe.efi from 172.16.0.101');
      await stopWithMistakes();
      put(configFile, generated);

      // A mistyped MAC address, and a second server on the same network.
      const mac = design.nodes[1]?.mac ?? '';
      put(configFile, generated.replaceAll(mac, '02:00:00:00:00:99'));
      await startServer();
      lab.start(
        'foreign',
        [
          'bash',
          '-c',
          'exec dhcpd -4 -f -d -cf "$LAB/foreign.conf" -lf "$LAB/foreign.leases" -pf "$LAB/foreign.pid" lan0',
        ],
        'foreign.log',
      );
      const name = design.nodes[1]?.name;
      const expected = [
        `dhcp-leases failed ${name} ${mac}`,
        `dhcp-boot failed ${name} ${mac}`,
        'dhcp-foreign failed all machines on this network',
        `dhcp-gateway unknown ${name} ${mac}`,
        `dhcp-options unknown ${name} ${mac}`,
      ];
      const found = await waitUntil('the second server', async () => {
        const checks = await check();
        return checks.some(({ id, result }) => id === 'dhcp-foreign' && result === 'failed') ? checks : null;
      });
      expect(listFailures(found)).toEqual(expected);
      expect(found.find(({ id }) => id === 'dhcp-foreign')?.evidence).toMatch(
        /^172\.16\.0\.9 \(MAC address [0-9a-f:]{17}\) offers 172\.16\.0\.2\d\d/,
      );
    },
  );
}
