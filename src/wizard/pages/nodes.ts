import { pages } from '../../text/en/pages.ts';
import type { Field } from '../fields.ts';

const words = pages.nodes.edit;

/** The questions about one node; paths are relative to the node. */
export const nodeFields: readonly Field[] = [
  { path: 'name', type: 'text', words: words.name },
  {
    path: 'role',
    type: 'choice',
    words: words.role,
    choices: ['bootstrap', 'control-plane', 'compute', 'infra', 'storage'],
  },
  { path: 'ip', type: 'addresses', words: words.ip },
  { path: 'mac', type: 'text', words: words.mac },
  { path: 'vcpu', type: 'number', words: words.vcpu },
  { path: 'memoryGiB', type: 'number', words: words.memoryGiB },
  { path: 'diskGiB', type: 'number', words: words.diskGiB },
  { path: 'installDisk', type: 'text', words: words.installDisk },
];
