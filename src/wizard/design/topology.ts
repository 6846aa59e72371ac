import { isDeepStrictEqual } from 'node:util';
import { exampleDesign } from '../../design/example.ts';
import { TOPOLOGIES } from '../../design/model.ts';
import { readSource } from '../../design/source.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Notice } from '../state.ts';
import { type Document, getAt, setAt } from './document.ts';

/** The parts of the example that differ by topology. */
const PARTS = ['nodes', 'endpoints', 'services', 'infra'];

/**
 * The document after a person chose another topology: parts that are still the example's become the example's for the
 * new topology; parts that a person has changed stay as they are.
 */
export function followTopology(before: Document, after: Document): Document {
  const [old, next] = [before, after].map((document) =>
    TOPOLOGIES.find((topology) => topology === getAt(document, 'topology')),
  );
  if (!old || !next || old === next) return after;
  const [was, becomes] = [old, next].map((topology) => readSource(exampleDesign({ topology })).document);
  return PARTS.reduce<Document>((document, part) => {
    const isUntouched = isDeepStrictEqual(getAt(document, part), getAt(was, part));
    return isUntouched ? setAt(document, part, getAt(becomes, part)) : document;
  }, after);
}

/** What another topology did to the nodes; null where it changed nothing. */
export function topologyNotice(before: Document, after: Document): Notice | null {
  const topology = getAt(after, 'topology');
  if (typeof topology !== 'string' || topology === getAt(before, 'topology')) return null;
  const nodes = getAt(after, 'nodes');
  const count = Array.isArray(nodes) ? nodes.length : 0;
  return isDeepStrictEqual(getAt(before, 'nodes'), nodes)
    ? { kind: 'warning', text: catalogue().pages.topology.kept(topology, count) }
    : { kind: 'info', text: catalogue().pages.topology.replaced(topology, count) };
}
