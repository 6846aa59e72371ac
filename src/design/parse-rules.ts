import type { Problem } from './model.ts';

/** Rules for parsing a design file, checked before the design rules. Each violation is an error. */
export const PARSE_RULES = [
  'syntax',
  'duplicate-key',
  'documents',
  'unknown-key',
  'required',
  'type',
  'choice',
  'range',
  'length',
  'version-not-text',
  'api-version',
] as const;
export type ParseRule = (typeof PARSE_RULES)[number];

/** The rules about the files that a design names, with their severity. */
export const CREDENTIAL_RULES = {
  'pull-secret': 'error',
  'pull-secret-missing': 'warning',
  'pull-secret-release': 'error',
  'pull-secret-registry': 'warning',
  'ssh-key': 'error',
  'ssh-key-missing': 'warning',
  'ssh-key-private': 'error',
  'ssh-key-fips': 'error',
  'ssh-key-weak': 'warning',
  'trust-bundle': 'error',
  'trust-bundle-missing': 'warning',
  'credential-unreadable': 'error',
} as const satisfies Readonly<Record<string, Problem['severity']>>;
export type CredentialRule = keyof typeof CREDENTIAL_RULES;
