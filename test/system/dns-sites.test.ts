import { expect } from 'vitest';
import { listAddressRecords, listPointerRecords } from '../../src/artifacts/dns/records.ts';
import { generateFiles } from '../../src/artifacts/generate.ts';
import { listServiceHosts } from '../../src/design/derived-facts.ts';
import type { Design, DesignNode } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';
import { createExampleDesign } from '../support/example-document.ts';
import { runInNamespace, testInNamespace, writeHostFiles } from '../support/namespace.ts';

const test = testInNamespace('named', 'dig');
const testUpdates = testInNamespace('named', 'dig', 'nsupdate');

/** Returns the documented site with each of its addresses moved to the next free one of another network. */
function moveSite(cidr: string, first: number): Design {
  const { networks, services, ...rest } = exampleSite();
  const { company, router, ...machine } = networks;
  const base = cidr.slice(0, cidr.lastIndexOf('.'));
  const newAddresses = new Map<string, string>();
  const text = JSON.stringify({ ...rest, networks: machine, services: { ...services, dns: { ...services.dns } } })
    .replace('172.16.0.0/24', cidr)
    .replaceAll(/"172\.16\.0\.\d+"/g, (address) => {
      const newAddress = newAddresses.get(address) ?? `"${base}.${first + newAddresses.size}"`;
      newAddresses.set(address, newAddress);
      return newAddress;
    });
  const movedDesign = JSON.parse(text) as Design;
  return { ...movedDesign, networks: { ...movedDesign.networks, company, router } };
}

/** Creates two name servers with different operating systems, and a second address family. */
function createTwoServerSite(): Design {
  const { networks, nodes, services, endpoints } = exampleSite();
  const toIpv6 = (address: string) => `2001:db8:0:10::${address.split('.').at(-1)}`;
  const toBothFamilies = ([address = '']: readonly string[]): [string, string] => [address, toIpv6(address)];
  const servers = [
    { name: 'ns1', ip: toBothFamilies(['172.16.0.102']), os: 'rhel9' as const },
    { name: 'ns2', ip: toBothFamilies(['172.16.0.103']), os: 'debian' as const },
  ];
  return exampleSite({
    networks: { ...networks, machine: [...networks.machine, { cidr: '2001:db8:0:10::/61', gateway: null }] },
    endpoints: {
      api: toBothFamilies(endpoints.api),
      apiInt: toBothFamilies(endpoints.apiInt),
      ingress: toBothFamilies(endpoints.ingress),
    },
    nodes: nodes.map((node) => ({ ...node, ip: toBothFamilies(node.ip) })),
    services: { ...services, dns: { ...services.dns, servers } },
  });
}

/** 250 compute nodes in a network with a prefix of 22 bits. */
function createLargeSite(): Design {
  const { networks, nodes } = exampleSite();
  const worker = nodes.find(({ role }) => role === 'compute') as DesignNode;
  const more = Array.from({ length: 250 }, (_, index) => ({
    ...worker,
    name: `compute-${index}`,
    ip: [`172.16.${1 + Math.floor(index / 200)}.${1 + (index % 200)}`],
    mac: `02:00:00:00:${Math.floor(index / 256)
      .toString(16)
      .padStart(2, '0')}:${(index % 256).toString(16).padStart(2, '0')}`,
  }));
  return exampleSite({
    networks: { ...networks, machine: [{ cidr: '172.16.0.0/22', gateway: '172.16.0.254' }] },
    nodes: [...nodes, ...more],
  });
}

/** Creates a machine network that has many reverse zones. */
function createWideSite(): Design {
  const { networks } = exampleSite();
  return exampleSite({ networks: { ...networks, machine: [{ cidr: '172.16.0.0/13', gateway: '172.16.0.254' }] } });
}

/** Creates all questions as dig reads them, and all expected answers as dig prints them. */
function createExpectations(design: Design) {
  const records = listAddressRecords(design)
    .flatMap((group) => group.records)
    .map(({ name, type, address }) => ({ name: name.replace('*', 'console-openshift-console'), type, value: address }));
  const pointers = listPointerRecords(design).map(({ owner, name }) => ({
    name: owner,
    type: 'PTR',
    value: `${name}.`,
  }));
  const all = [...records, ...pointers];
  return {
    questions: [...new Set(all.map(({ name, type }) => `${name} ${type}\n`))].join(''),
    answers: all.map(({ name, type, value }) => `${name}. ${type} ${value}`).sort(),
  };
}

/** Returns the answers of every name server of a design to all questions, and to names that do not exist. */
async function queryServers(design: Design) {
  const { questions, answers } = createExpectations(design);
  const servers = design.services.dns.servers;
  const addresses = listServiceHosts(design).flatMap(({ ip }) => ip);
  const unusedName = `nobody.${design.cluster.name}.${design.cluster.baseDomain}`;
  const unused = listPointerRecords(design)[0]?.owner.replace(/^\d+/, '250') ?? '';
  const output = await runInNamespace(
    writeHostFiles(design, { questions }),
    `
trap 'tail -n 40 "$FILES"/*.log >&2' EXIT
for address in ${addresses.join(' ')}; do
  case $address in *:*) ip -6 addr add $address/128 dev lo nodad ;; *) ip addr add $address/32 dev lo ;; esac
done
# A secondary has every zone once it has fetched the last of them.
answers_all() {
  (( $(dig @$1 +time=1 +tries=1 +noall +comments -f "$FILES/questions" | grep -c 'status: NOERROR') == $(wc -l <"$FILES/questions") ))
}
configuration() { for path in etc/named.conf etc/bind/named.conf; do if [[ -e $FILES/$1/$path ]]; then echo /$path; fi; done; }
for name in ${servers.map(({ name }) => name).join(' ')}; do
  host $name named-checkconf -z $(configuration $name) >&2
  host $name named -g -n 1 -c $(configuration $name) 2>"$FILES/$name.log" &
done
for address in ${servers.flatMap(({ ip }) => ip).join(' ')}; do
  until_true answers_all $address
  echo "== $address"
  dig @$address +noall +answer -f "$FILES/questions"
  echo "== no such name"
  dig @$address +noall +comments ${unusedName} A; dig @$address +noall +comments ${unused} PTR
done
`,
  );
  const parts = output.split(/^== .*\n/m).slice(1);
  const parseAnswers = (text = '') =>
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(';'))
      .map((line) => line.split(/\s+/))
      .map(([name, , , type, value]) => `${name} ${type} ${value}`)
      .sort();
  const each = servers.flatMap(({ ip }) => ip).map((address, index) => ({ address, at: index * 2 }));
  return {
    answers,
    replies: each.map(({ at }) => parseAnswers(parts[at])),
    missing: each.map(({ at }) => parts[at + 1]?.match(/status: \w+|flags: qr aa/g) ?? []),
  };
}

const NXDOMAIN_REPLY = ['status: NXDOMAIN', 'flags: qr aa', 'status: NXDOMAIN', 'flags: qr aa'];

for (const [name, design, count] of [
  ['the documented site', exampleSite(), 31],
  ['26 bits with another prefix', moveSite('10.33.7.64/26', 65), 31],
  ['250 compute nodes', createLargeSite(), 531],
  ['a network of eight reverse zones', createWideSite(), 31],
  ['two control plane nodes and an arbiter', createExampleDesign('arbiter'), 19],
] as const) {
  test(`named with its own files answers both ways: ${name}`, async () => {
    const { answers, replies, missing } = await queryServers(design);
    expect(answers).toHaveLength(count);
    expect(replies).toEqual([answers]);
    expect(missing).toEqual([NXDOMAIN_REPLY]);
  });
}

test('a secondary of another system answers the same in both families, from zones that it fetched', async () => {
  const { answers, replies, missing } = await queryServers(createTwoServerSite());
  expect(answers).toHaveLength(62);
  expect(replies).toEqual([answers, answers, answers, answers]);
  expect(missing).toEqual([NXDOMAIN_REPLY, NXDOMAIN_REPLY, NXDOMAIN_REPLY, NXDOMAIN_REPLY]);
});

test('a secondary is notified of a change at once', async () => {
  const design = createTwoServerSite();
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages } as const;
  const before = generateFiles({ ...input, design, previous: null });
  const readContent = (file: string) => before.files.find((entry) => entry.file === file)?.content ?? null;
  const changed = { ...design, nodes: design.nodes.slice(0, -1) };
  const after = generateFiles({ ...input, design: changed, previous: { manifest: before.manifest, readContent } });
  const zones = after.files.filter(({ kind, serial }) => kind === 'bind-zone' && serial === 2);
  expect(zones.length).toBeGreaterThan(1);
  const next = Object.fromEntries(zones.map(({ path, content }) => [`next${path}`, content]));
  const output = await runInNamespace(
    writeHostFiles(design, next),
    `
for address in 172.16.0.102 172.16.0.103; do ip addr add $address/32 dev lo; done
for address in 2001:db8:0:10::102 2001:db8:0:10::103; do ip -6 addr add $address/128 dev lo nodad; done
host ns1 bash -c 'named -g -n 1 -c /etc/named.conf & until [[ -e $FILES/go ]]; do sleep 0.1; done
  cp -r "$FILES/next/." /; kill -HUP $!; wait' 2>/dev/null &
host ns2 named -g -n 1 -c /etc/bind/named.conf 2>/dev/null &
serial() { [[ "$(dig @172.16.0.103 +time=1 +tries=1 +short example.localdomain SOA)" == *" $1 3600 "* ]]; }
until_true serial 1
touch "$FILES/go"
until_true serial 2
dig @172.16.0.103 +noall +comments ${design.nodes.at(-1)?.name}.ocp45.example.localdomain A | grep -o 'status: [A-Z]*'
`,
  );
  expect(output).toBe('status: NXDOMAIN');
});

const UPDATE_SERVER_CONFIG = `
key "site" { algorithm hmac-sha256; secret "c2l0ZS1zaXRlLXNpdGUtc2l0ZS1zaXRlLXNpdGUtMTI="; };
options { directory "/var/named"; listen-on { 172.16.0.5; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; };
zone "example.localdomain" { type primary; file "forward"; allow-update { key "site"; }; allow-transfer { any; }; };
zone "16.172.in-addr.arpa" { type primary; file "reverse"; allow-update { key "site"; }; allow-transfer { any; }; };
`;
const ZONE_TOP =
  '$TTL 60\n@ SOA dc1.example.localdomain. hostmaster.example.localdomain. 7 3600 900 1209600 300\n@ NS dc1.example.localdomain.\n';

testUpdates('nsupdate adds every record to an external server, and a second run changes nothing', async () => {
  const { services } = exampleSite();
  const dns = { kind: 'external', servers: [], forwarders: ['172.16.0.5'] } as const;
  const design = exampleSite({ services: { ...services, dns, dhcp: { kind: 'isc-dhcpd', server: 'bastion' } } });
  const { questions, answers } = createExpectations(design);
  const files = writeHostFiles(design, {
    questions,
    'dc1/etc/named.conf': UPDATE_SERVER_CONFIG,
    // Records that conflict: an alias, an old address, and a name that is not part of the design.
    'dc1/var/named/forward': `${ZONE_TOP}dc1 A 172.16.0.5\napi.ocp45 CNAME dc1\nm1.ocp45 A 172.16.0.99\nprinter A 172.16.0.9\n`,
    'dc1/var/named/reverse': `${ZONE_TOP}21.0 PTR before.example.localdomain.\n`,
    'site.key': 'key "site" { algorithm hmac-sha256; secret "c2l0ZS1zaXRlLXNpdGUtc2l0ZS1zaXRlLXNpdGUtMTI="; };\n',
  });
  const output = await runInNamespace(
    files,
    `
ip addr add 172.16.0.5/32 dev lo
host dc1 named -g -n 1 -c /etc/named.conf 2>"$FILES/dc1.log" &
own
echo 'nameserver 172.16.0.5' >/etc/resolv.conf
# Asked before all of it listens, one of its ports refuses.
until_true grep -q ' running$' "$FILES/dc1.log"
until_true bash -c "dig @172.16.0.5 +tcp +short printer.example.localdomain | grep -q 172"
trap 'cat "$FILES/dc1.log" >&2' ERR
set -E
everything() { for zone in example.localdomain 16.172.in-addr.arpa; do dig @172.16.0.5 +noall +answer $zone AXFR | grep -v SOA; done; }
nsupdate -k "$FILES/site.key" "$FILES/bastion/root/upi-wizard/dns-records.nsupdate"
everything >"$FILES/first"
nsupdate -k "$FILES/site.key" "$FILES/bastion/root/upi-wizard/dns-records.nsupdate"
everything | diff "$FILES/first" -
grep -c printer "$FILES/first"
dig @172.16.0.5 +noall +answer -f "$FILES/questions"
`,
  );
  const [printers, ...lines] = output.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  expect(printers).toBe('1');
  const replies = lines.map((line) => line.split(/\s+/)).map(([name, , , type, value]) => `${name} ${type} ${value}`);
  expect(replies.sort()).toEqual(answers);
});
