import { cause, failed } from '../cause.ts';

/** A wildcard above *.apps: names that must not exist lead somewhere (assisted-service isDNSWildcardNotConfigured). */
export const wildcardTooWide = cause('wildcard-too-wide', 'dns', (evidence) =>
  failed(evidence, 'dns-no-cluster-wildcard'),
);
