import { cause, failed } from '../cause.ts';

/** Nodes ask our servers for the names of registries and time servers too. */
export const outsideNamesMissing = cause('outside-names-missing', 'dns', (evidence) =>
  evidence.cluster?.version?.available === true ? [] : failed(evidence, 'dns-upstream', 'likely'),
);
