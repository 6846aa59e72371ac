import { isDeepStrictEqual } from 'node:util';
import { TOPOLOGIES } from '../../design/choices.ts';
import { exampleDesign } from '../../design/example.ts';
import { type DesignDocument, getAt, setAt } from '../../design/paths.ts';
import { readSource } from '../../design/source.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Notice } from '../state.ts';

/** The sections of the example design that differ by topology. */
const EXAMPLE_SECTIONS = ['nodes', 'endpoints', 'services', 'infra'];

/**
 * Applies a changed topology: sections that still equal the old topology's example become those of the new example;
 * sections that the user edited stay.
 */
export function applyTopologyExample(before: DesignDocument, after: DesignDocument): DesignDocument {
  const [old, next] = [before, after].map((document) =>
    TOPOLOGIES.find((topology) => topology === getAt(document, 'topology')),
  );
  if (!old || !next || old === next) return after;
  const [oldExample, newExample] = [old, next].map((topology) => readSource(exampleDesign({ topology })).document);
  return EXAMPLE_SECTIONS.reduce<DesignDocument>((document, section) => {
    const isUntouched = isDeepStrictEqual(getAt(document, section), getAt(oldExample, section));
    return isUntouched ? setAt(document, section, getAt(newExample, section)) : document;
  }, after);
}

/** Says how a new topology changed the nodes; null if the topology is the same. */
export function createTopologyNotice(before: DesignDocument, after: DesignDocument): Notice | null {
  const topology = getAt(after, 'topology');
  if (typeof topology !== 'string' || topology === getAt(before, 'topology')) return null;
  const nodes = getAt(after, 'nodes');
  const count = Array.isArray(nodes) ? nodes.length : 0;
  return isDeepStrictEqual(getAt(before, 'nodes'), nodes)
    ? { kind: 'warning', text: catalogue().pages.topology.nodesUnchanged(topology, count) }
    : { kind: 'info', text: catalogue().pages.topology.replaced(topology, count) };
}
