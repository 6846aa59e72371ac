import { renderExampleFencingFile } from '../../src/design/example.ts';

/** Credentials in a valid format that grant no access. */
export const exampleCredentials = {
  pullSecret: '{\n  "auths": { "quay.io": { "auth": "dXNlcjpwYXNz", "email": "a@example.com" } }\n}\n',
  sshKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZha2VrZXlmYWtla2V5ZmFrZWtleWZha2VrZXlmYWtl core@bastion\n',
  trustBundle: null,
  fencing: renderExampleFencingFile(['m1', 'm2']),
};
