import { isDeepStrictEqual } from 'node:util';
import { NODE_ROLES, TOPOLOGIES, type Topology } from '../../design/choices.ts';
import { setAt } from '../../design/document-draft.ts';
import { renderExampleDesign } from '../../design/example.ts';
import { type DesignDocument, getAt } from '../../design/paths.ts';
import { parseYamlText } from '../../design/yaml.ts';
import type { WizardState } from '../state.ts';
import { computeFillValues, createNode, type NodeDraft, readNodeDrafts } from './node-table.ts';

/** Caches the examples by topology: parsing one takes longer than a key press may take. */
const examplesByTopology = new Map<Topology, DesignDocument>();

/** Returns the document of the example design with this topology. */
export function getExampleDocument(topology: Topology): DesignDocument {
  const cachedDocument = examplesByTopology.get(topology);
  if (cachedDocument !== undefined) return cachedDocument;
  const { document } = parseYamlText(renderExampleDesign({ topology }));
  examplesByTopology.set(topology, document);
  return document;
}

/** Returns the document of the example with the topology of the design. */
export function getMatchingExample({ document }: Pick<WizardState, 'document'>): DesignDocument {
  return getExampleDocument(TOPOLOGIES.find((candidate) => candidate === getAt(document, 'topology')) ?? 'standard');
}

/** The document, and the node whose form is open. */
export type AnswerContext = Pick<WizardState, 'document'> & { readonly nodes: Pick<WizardState['nodes'], 'edit'> };

/**
 * Whether an answer is still a default that the user may not have looked at: that of the schema, that of the example
 * design, or the suggestion for a new node. An empty text is no default.
 * @param path in the document
 */
export function isDefaultAnswer({ document, nodes: { edit } }: AnswerContext, path: string): boolean {
  const value = getAt(document, path);
  if (value === undefined || value === null) return true;
  const [, index = '', key = ''] = /^nodes\.(\d+)\.(\w+)$/.exec(path) ?? [];
  if (edit?.isNew && Number(index) === edit.index) {
    const documentWithoutNode = setAt(document, `nodes.${index}`, undefined);
    return isDeepStrictEqual(value, suggestNode(documentWithoutNode, readNodeDrafts(document)[edit.index]?.role)[key]);
  }
  return isDeepStrictEqual(value, getAt(getMatchingExample({ document }), path));
}

/**
 * Whether an answer is still the value that the wizard moved, filled or imported.
 * @param path in the document
 */
export function isWizardAnswer({ document, wizardAnswers }: WizardState, path: string): boolean {
  const value = getAt(document, path);
  return Object.entries(wizardAnswers).some(([changedPath, newValue]) => {
    if (path === changedPath) return isDeepStrictEqual(value, newValue);
    return (
      path.startsWith(`${changedPath}.`) &&
      isDeepStrictEqual(value, getAt(newValue, path.slice(changedPath.length + 1)))
    );
  });
}

/** Answers that no two sites share: the example's are right only by chance. */
const SITE_ANSWER_PATHS =
  /^(?:cluster\.(?:name|baseDomain)|networks\.(?:machine\.\d+\.(?:cidr|gateway)|company|router)|endpoints\.\w+|nodes\.\d+\.(?:ip|mac)|services\.(?:bastion\.ip|(?:dns|loadBalancer)\.servers\.\d+\.ip|dns\.forwarders|time\.servers))$/;

/** Whether an answer describes the site. */
export const isSiteAnswer = (path: string): boolean => SITE_ANSWER_PATHS.test(path);

/** Whether an answer about the site is still the example's; for a MAC address, that of any node of the example. */
export function isExampleAnswer(state: AnswerContext, path: string): boolean {
  const value = getAt(state.document, path);
  if (!isSiteAnswer(path) || value === undefined || value === null || value === '') return false;
  if (/^nodes\.\d+\.mac$/.test(path)) return readNodeDrafts(getMatchingExample(state)).some(({ mac }) => mac === value);
  return isDefaultAnswer(state, path);
}

/**
 * Suggests a new node: the size of its role, and the next name and address after the other nodes of the role. A MAC
 * address cannot be suggested.
 */
export function suggestNode(document: DesignDocument, role: unknown): NodeDraft {
  const nodes = readNodeDrafts(document);
  const lastNodeOfRole = nodes.findLast((node) => node.role === role);
  // The new node is beyond the end of the table: all nodes count as others, so no name or address is used twice.
  const suggestValue = (fill: 'name' | 'ip') =>
    lastNodeOfRole === undefined ? {} : (computeFillValues(document, lastNodeOfRole, [nodes.length], fill)?.[0] ?? {});
  return createNode({
    role: NODE_ROLES.find((candidate) => candidate === role) ?? 'compute',
    ...suggestValue('name'),
    ...suggestValue('ip'),
  });
}
