import { pages } from '../../text/en/pages.ts';
import type { Field } from '../fields.ts';

const words = pages.credentials;

export const credentialFields: readonly Field[] = [
  { path: 'credentials.pullSecretFile', type: 'text', words: words.pullSecretFile, isOptional: true },
  { path: 'credentials.sshKeyFile', type: 'text', words: words.sshKeyFile, isOptional: true },
];
