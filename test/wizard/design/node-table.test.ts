import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderExampleDesign } from '../../../src/design/example.ts';
import { setAt } from '../../../src/design/paths.ts';
import { fillDown, mergeNodes, readNodeDrafts, sortNodes } from '../../../src/wizard/design/node-table.ts';

const example: unknown = parse(renderExampleDesign());
const W1 = 4;

function column(nodes: readonly Readonly<Record<string, unknown>>[] | undefined, key: string): unknown[] {
  return (nodes ?? []).map((node) => node[key]);
}

describe('filling down', () => {
  it('counts addresses up for the nodes of the same role only', () => {
    const document = setAt(example, `nodes.${W1}.ip`, '172.16.0.51');
    const filled = fillDown(document, W1, 'ip');
    expect(filled).toMatchObject({ count: 2, unfilledCount: 0 });
    expect(column(filled?.nodes, 'ip').slice(3)).toEqual([
      '172.16.0.23',
      '172.16.0.51',
      '172.16.0.52',
      '172.16.0.53',
      '172.16.0.41',
      '172.16.0.42',
      '172.16.0.43',
    ]);
  });

  it('passes over addresses that the bastion, the name server, endpoints, gateway or other nodes have', () => {
    const document = setAt(example, `nodes.${W1}.ip`, '172.16.0.100');
    expect(column(fillDown(document, W1, 'ip')?.nodes, 'ip').slice(W1, W1 + 3)).toEqual([
      '172.16.0.100',
      '172.16.0.103',
      '172.16.0.104',
    ]);
  });

  it('stops before the broadcast address and reports how many got none', () => {
    const document = setAt(
      setAt(example, `nodes.${W1}.ip`, '172.16.0.252'),
      'networks.machine.0.gateway',
      '172.16.0.1',
    );
    const filled = fillDown(document, W1, 'ip');
    expect(filled).toMatchObject({ count: 2, unfilledCount: 0 });
    const atEnd = fillDown(setAt(document, `nodes.${W1}.ip`, '172.16.0.253'), W1, 'ip');
    expect(atEnd).toMatchObject({ count: 1, unfilledCount: 1 });
  });

  it('counts both families, in step', () => {
    const document = setAt(example, `nodes.${W1}.ip`, ['172.16.0.51', 'fd00::9']);
    expect(column(fillDown(document, W1, 'ip')?.nodes, 'ip')[W1 + 1]).toEqual(['172.16.0.52', 'fd00::a']);
  });

  it('counts MACs up in hexadecimal, whatever their spelling', () => {
    const document = setAt(example, `nodes.${W1}.mac`, '00-50-56-96-6B-FF');
    expect(column(fillDown(document, W1, 'mac')?.nodes, 'mac').slice(W1 + 1, W1 + 3)).toEqual([
      '00:50:56:96:6c:00',
      '00:50:56:96:6c:01',
    ]);
  });

  it('counts names up and keeps their width', () => {
    const document = setAt(example, `nodes.${W1}.name`, 'worker-09');
    expect(column(fillDown(document, W1, 'name')?.nodes, 'name').slice(W1 + 1, W1 + 3)).toEqual([
      'worker-10',
      'worker-11',
    ]);
  });

  it('copies the sizes and nothing else', () => {
    const document = setAt(setAt(example, `nodes.${W1}.vcpu`, 16), `nodes.${W1}.installDisk`, '/dev/nvme0n1');
    const nodes = fillDown(document, W1, 'sizes')?.nodes ?? [];
    expect(nodes[W1 + 1]).toMatchObject({ name: 'w2', ip: '172.16.0.32', vcpu: 16, installDisk: '/dev/nvme0n1' });
    expect(nodes[W1 + 3]).toMatchObject({ name: 'i1', vcpu: 4 });
  });

  it.each([
    ['ip', 'nonsense'],
    ['mac', 'nonsense'],
    ['name', 'zeus'],
  ] as const)('has nothing to count from where the %s is %s', (fill, text) => {
    expect(fillDown(setAt(example, `nodes.${W1}.${fill}`, text), W1, fill)).toBeNull();
  });

  it('has nothing to do on the last node of a role, nor without nodes', () => {
    expect(fillDown(example, W1 + 2, 'ip')).toBeNull();
    expect(fillDown({}, 0, 'ip')).toBeNull();
  });
});

describe('sorting', () => {
  const nodes = [
    { name: 'w10', role: 'compute', ip: '172.16.0.9' },
    { name: 'm1', role: 'control-plane', ip: '172.16.0.100' },
    { name: 'w2', role: 'compute', ip: '172.16.0.20' },
    { name: 'new', role: 'compute', ip: '' },
  ];
  it.each([
    ['role', ['m1', 'new', 'w2', 'w10']],
    ['name', ['m1', 'new', 'w2', 'w10']],
    ['ip', ['new', 'w10', 'w2', 'm1']],
  ] as const)('by %s, numbers by their value', (sort, names) => {
    expect(column(sortNodes(nodes, sort), 'name')).toEqual(names);
  });
});

describe('merging', () => {
  it('merges a list into the table by name; values that the list lacks stay', () => {
    const { nodes, addedCount, changedCount } = mergeNodes(readNodeDrafts(example), [
      { name: 'w1', role: 'compute', ip: '172.16.0.77', mac: '' },
      { name: 'w9', role: 'compute', ip: '172.16.0.78', mac: '00:50:56:96:00:01' },
    ]);
    expect({ addedCount, changedCount }).toEqual({ addedCount: 1, changedCount: 1 });
    expect(nodes[W1]).toMatchObject({ ip: '172.16.0.77', mac: '00:50:56:96:6b:da', vcpu: 2 });
    expect(nodes.at(-1)).toMatchObject({ name: 'w9' });
  });
});
