import type { Problem } from './model.ts';

/** The rules that reading a file holds to before the design can be judged; what breaks one is an error. */
export const READING_RULES = [
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
export type ReadingRule = (typeof READING_RULES)[number];

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
