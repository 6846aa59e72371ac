import { parse } from 'yaml';
import { renderExampleDesign } from '../../../src/design/example.ts';

interface Document {
  networks: { machine: { cidr: string }[] };
  nodes: { name: string; role: string; ip: unknown; mac: string }[];
}

/**
 * Creates the example with compute nodes added, up to `count` nodes without the bootstrap machine. A /16 has enough
 * addresses.
 */
export function createLargeDesign(count: number): unknown {
  const document = parse(renderExampleDesign()) as Document;
  const [network] = document.networks.machine;
  const model = document.nodes.find(({ role }) => role === 'compute');
  if (!network || !model) throw new Error('the example has no machine network or no compute node');
  network.cidr = '172.16.0.0/16';
  const hex = (value: number) => value.toString(16).padStart(2, '0');
  for (let index = 1; document.nodes.filter(({ role }) => role !== 'bootstrap').length < count; index += 1) {
    const ip = `172.16.${1 + Math.floor(index / 200)}.${10 + (index % 200)}`;
    const mac = `00:50:56:a0:${hex(index >> 8)}:${hex(index & 255)}`;
    document.nodes.push({ ...model, name: `extra${index}`, ip: Array.isArray(model.ip) ? [ip] : ip, mac });
  }
  return document;
}
