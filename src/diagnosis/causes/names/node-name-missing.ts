import { cause, failed } from '../cause.ts';

/** The name of a node is missing, or leads to another address. */
export const nodeNameMissing = cause('node-name-missing', 'dns', (evidence) => failed(evidence, 'dns-nodes'));
