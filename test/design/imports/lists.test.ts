import { describe, expect, it } from 'vitest';
import { parseNodeList } from '../../../src/design/imports/index.ts';
import { detectRole } from '../../../src/design/imports/node-table.ts';

function parseRows(text: string) {
  const list = parseNodeList(text);
  if (!list) throw new Error('nothing was read');
  return list;
}

describe('a table', () => {
  it('is read as a spreadsheet copies it: tabs, headings with capitals, blanks and units', () => {
    const { rows: nodes, notes } = parseRows(
      'Host Name\tRole\tIP Address\tMAC Address\tvCPUs\tMemory (GB)\tDisk (GB)\tRack\nM1\tmaster\t172.16.0.21/24\t00-50-56-96-37-C8\t8\t32 GB\t120\tA3\nw1\tworker\t172.16.0.31\t0050.5696.6bda\t4\t16384 MiB\t1T\tA4\n',
    );
    expect(nodes).toEqual([
      {
        name: 'm1',
        domain: '',
        role: 'control-plane',
        ip: ['172.16.0.21'],
        mac: '00:50:56:96:37:c8',
        vcpu: 8,
        memoryGiB: 32,
        diskGiB: 120,
      },
      {
        name: 'w1',
        domain: '',
        role: 'compute',
        ip: ['172.16.0.31'],
        mac: '00:50:56:96:6b:da',
        vcpu: 4,
        memoryGiB: 16,
        diskGiB: 1024,
      },
    ]);
    expect(notes).toEqual(['The column Rack is unknown and was left out.']);
  });

  it('is read without its heading line where that is repeated, as in two tables pasted one after the other', () => {
    const heading = 'hostname,ip,mac';
    const { rows, notes } = parseRows(
      `${heading}\nm1,172.16.0.21,00:50:56:96:37:c8\n${heading}\nw1,172.16.0.31,00:50:56:96:6b:da\n`,
    );
    expect(rows.map(({ name }) => name)).toEqual(['m1', 'w1']);
    expect(notes).toEqual([]);
  });

  it('needs no headings: cells are recognized by their content, in any order', () => {
    const { rows: nodes } = parseRows(
      'bootstrap;172.16.0.11;00:50:56:96:11:c2\n/dev/nvme0n1;cp1;00:50:56:96:37:c8;172.16.0.21;fd00::21\n',
    );
    expect(nodes).toEqual([
      { name: 'bootstrap', domain: '', role: 'bootstrap', ip: ['172.16.0.11'], mac: '00:50:56:96:11:c2' },
      {
        name: 'cp1',
        domain: '',
        role: 'control-plane',
        ip: ['172.16.0.21', 'fd00::21'],
        mac: '00:50:56:96:37:c8',
        installDisk: '/dev/nvme0n1',
      },
    ]);
  });

  it('takes the file of Excel: byte order mark, CRLF, semicolons, quotes with separators in them', () => {
    const { rows: nodes } = parseRows('\ufeffname;"ip;v4";mac\r\n"w1";172.16.0.31;00:50:56:96:6b:da\r\n');
    expect(nodes).toMatchObject([{ name: 'w1', mac: '00:50:56:96:6b:da' }]);
  });

  it('takes Excel files of German locales: the separator named first, decimal commas, empty lines', () => {
    const { rows: nodes, notes } = parseRows(
      'sep=;\r\nHostname;Role;IP Address;MAC;vCPU;Memory (GB)\r\n"m1";master;10.0.0.12/24;52-54-00-00-00-02;8;32,0\r\n;;;;;\r\n',
    );
    expect(nodes).toMatchObject([{ name: 'm1', role: 'control-plane', vcpu: 8, memoryGiB: 32 }]);
    expect(notes).toEqual([]);
  });

  it('names the nearest known column for a heading with a typo', () => {
    const { notes } = parseRows('name,role,ip,mac,Memmory\nw1,worker,172.16.0.31,00:50:56:96:6b:da,16\n');
    expect(notes).toEqual(['The column Memmory is unknown and was left out. Use the heading memory if you mean that.']);
  });

  it('recognizes columns with headings of another language by their content', () => {
    const german = parseRows(
      'Rechner;Rolle;IP-Adresse;MAC-Adresse;CPU;Ort\nbs;Bootstrap;10.0.0.11;52:54:00:00:00:01;4;A3\n',
    );
    expect(german.rows).toMatchObject([
      { name: 'bs', role: 'bootstrap', ip: ['10.0.0.11'], mac: '52:54:00:00:00:01', vcpu: 4 },
    ]);
    expect(german.notes).toEqual(['The column Ort is unknown and was left out.']);
    const japanese = parseRows(
      '名前,役割,IPアドレス,MACアドレス\nbs,ブートストラップ,10.0.0.11,52:54:00:00:00:01\nm1,マスター,10.0.0.12,52:54:00:00:00:02\n',
    );
    expect(japanese.rows).toMatchObject([
      { name: 'bs', role: 'bootstrap', ip: ['10.0.0.11'] },
      { name: 'm1', role: 'control-plane', mac: '52:54:00:00:00:02' },
    ]);
  });

  it('takes blanks between the cells, and comments', () => {
    const { rows: nodes } = parseRows(
      '# rack A\nw1   172.16.0.31   00:50:56:96:6b:da\nw2   172.16.0.32   00:50:56:96:c1:c5\n',
    );
    expect(nodes.map(({ name }) => name)).toEqual(['w1', 'w2']);
  });

  it('takes a disk name as the installation disk, not as a size', () => {
    expect(parseRows('name,ip,disk\nw1,172.16.0.31,vda\n').rows).toEqual([
      { name: 'w1', domain: '', role: 'compute', ip: ['172.16.0.31'], mac: '', installDisk: '/dev/vda' },
    ]);
  });

  it('reports each line that cannot be read, and keeps the rest', () => {
    const { rows: nodes, notes } = parseRows(
      'name,ip,mac,cpu\nw1,172.16.0.31,00:50:56:96:6b,lots\n\n,,,\nw2,nowhere,,\n',
    );
    expect(nodes).toMatchObject([{ name: 'w1', ip: ['172.16.0.31'], mac: '' }]);
    expect(notes).toEqual([
      'Line 2: 00:50:56:96:6b is not a MAC address; it was left out.',
      'Line 2: lots is not a number of CPUs; it was left out.',
      'Line 5: nowhere is not an address; it was left out.',
      'Line 5 was left out: it has no name with an address or a MAC.',
    ]);
  });

  it('reports each cell that it cannot read without headings, with its line', () => {
    const { rows: nodes, notes } = parseRows(
      [
        'm1 control-plane 172.16.0.21 52:54:00:00:00:21',
        'm2 control-plane 172.16.0.300 52:54:00:00:00:zz',
        'm3 kontrol-plane 172.16.0.23 aa:54:00:00:00:23',
        'w1 worker 172.16.0.31 52:54:00:00:00:31 52:54:00:00:00:32 8 32',
        'w2 worker fd00::zz',
      ].join('\n'),
    );
    expect(nodes.map(({ name }) => name)).toEqual(['m1', 'm2', 'm3', 'w1', 'w2']);
    expect(notes).toEqual([
      'Line 2: 172.16.0.300 is not an address; it was left out.',
      'Line 2: 52:54:00:00:00:zz is not a MAC address; it was left out.',
      'Line 3: kontrol-plane is not an address, a MAC address, a role or a disk; it was left out.',
      'Line 4: 52:54:00:00:00:32 is a second MAC address; it was left out.',
      'Line 4: 8, 32 left out: numbers need a heading line with their meaning (vcpu, memory, disk).',
      'Line 5: fd00::zz is not an address; it was left out.',
    ]);
  });

  it('takes a mistyped MAC at the start of a line neither for a name nor, behind an address, for a host name', () => {
    expect(parseRows('aa:54:00:00:00:zz m1 172.16.0.21').rows).toMatchObject([{ name: 'm1' }]);
    const list = parseRows('172.16.0.22 m2 control-plane 52:54:00:00:00:zz');
    expect(list).toMatchObject({ kind: 'table', rows: [{ name: 'm2', ip: ['172.16.0.22'], mac: '' }] });
    expect(list.notes).toEqual(['Line 1: 52:54:00:00:00:zz is not a MAC address; it was left out.']);
  });

  it('reports the roles that were guessed without a hint', () => {
    const { rows: nodes, notes } = parseRows(
      'zeus,172.16.0.31,00:50:56:96:6b:da\nhera,172.16.0.32,00:50:56:96:6b:db\n',
    );
    expect(nodes.map(({ role }) => role)).toEqual(['compute', 'compute']);
    expect(notes).toEqual(['These nodes have no role in the file and became compute nodes: zeus, hera.']);
  });

  it('keeps the domain of a full name apart', () => {
    expect(parseRows('w1.ocp45.example.localdomain,172.16.0.31,00:50:56:96:6b:da\n').rows).toMatchObject([
      { name: 'w1', domain: 'ocp45.example.localdomain' },
    ]);
  });
});

describe('dhcpd hosts', () => {
  it('are read with the host name that is handed out, comments and other blocks left aside', () => {
    const list = parseRows(`
subnet 172.16.0.0 netmask 255.255.255.0 { option routers 172.16.0.254; }
# host old { hardware ethernet 00:00:00:00:00:01; fixed-address 172.16.0.9; }
host compute-a { hardware ethernet 00:50:56:96:6B:DA; fixed-address 172.16.0.31; option host-name "w1.ocp45.example.localdomain"; }
host m1
{
  hardware ethernet 00:50:56:96:37:c8;
  fixed-address 172.16.0.21;
}`);
    expect(list.kind).toBe('dhcpd');
    expect(list.rows).toEqual([
      {
        name: 'w1',
        domain: 'ocp45.example.localdomain',
        role: 'compute',
        ip: ['172.16.0.31'],
        mac: '00:50:56:96:6b:da',
      },
      { name: 'm1', domain: '', role: 'control-plane', ip: ['172.16.0.21'], mac: '00:50:56:96:37:c8' },
    ]);
  });
});

it('takes MAC addresses as dhcpd does, and reports the hosts and files that were left out', () => {
  const { rows: nodes, notes } = parseRows(`include "/etc/dhcp/more.conf";
group { filename "pxelinux.0";
  host m1 { fixed-address 172.16.0.21; hardware ethernet 0:50:56:96:37:c8; }
  host tape { hardware token-ring 00:50:56:96:37:c9; }
}`);
  expect(nodes).toMatchObject([{ name: 'm1', mac: '00:50:56:96:37:c8' }]);
  expect(notes).toEqual([
    'These hosts have no Ethernet MAC address and were left out: tape.',
    'upi-wizard did not read the files that this file includes: import them too.',
  ]);
});

describe('a hosts file', () => {
  it('gives the machines whose names imply a role; the loopback, the API and others are no nodes', () => {
    const list = parseRows(`127.0.0.1 localhost localhost.localdomain
::1 localhost ip6-localhost
172.16.0.110 api-int.ocp45.example.localdomain
172.16.0.111 api.ocp45.example.localdomain console-openshift-console.apps.ocp45.example.localdomain
172.16.0.21 m1.ocp45.example.localdomain m1
fd00::21 m1.ocp45.example.localdomain
172.16.0.90 printer`);
    expect(list.kind).toBe('hosts');
    expect(list.rows).toEqual([
      {
        name: 'm1',
        domain: 'ocp45.example.localdomain',
        role: 'control-plane',
        ip: ['172.16.0.21', 'fd00::21'],
        mac: '',
      },
    ]);
    expect(list.notes).toEqual(['These hosts are not nodes of the cluster and were left out: printer.']);
  });
});

it('hosts in the domain of the cluster whose names show no role are reported apart from other hosts', () => {
  const { rows: nodes, notes } = parseRows(`172.16.0.111 api.ocp45.example.localdomain
172.16.0.21 cp0.ocp45.example.localdomain
172.16.0.31 wk0.ocp45.example.localdomain
172.16.0.32 zeus.ocp45.example.localdomain
172.16.0.90 printer`);
  expect(nodes.map(({ name, role }) => `${name} ${role}`)).toEqual(['cp0 control-plane', 'wk0 compute']);
  expect(notes).toEqual([
    'These hosts are in the domain of the cluster, but their role is not clear from the name: zeus. Add them on the Nodes page.',
    'These hosts are not nodes of the cluster and were left out: printer.',
  ]);
});

describe('text without a node list', () => {
  it.each(['', '\n\n', 'hello', '# only a comment', '{"a":1}', 'name,ip,mac\n', '\u0000\u0001', '"'])(
    'is not read: %j',
    (text) => {
      expect(parseNodeList(text)).toBeNull();
    },
  );
});

it.each([
  ['master', 'control-plane'],
  ['Control Plane', 'control-plane'],
  ['cp1', 'control-plane'],
  ['infra-worker1', 'infra'],
  ['worker', 'compute'],
  ['bs', 'bootstrap'],
  ['bootstrap.ocp45', 'bootstrap'],
  ['odf2', 'storage'],
  ['zeus', null],
])('takes %s for the role %s', (text, role) => {
  expect(detectRole(text)).toBe(role);
});
