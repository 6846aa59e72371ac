import type { Field } from '../fields.ts';
import { clusterFields, credentialFields } from './cluster.ts';
import { networkFields } from './networks.ts';
import { serviceFields } from './services.ts';

/** The design pages that are forms, with their fields. */
export const FORMS = {
  cluster: clusterFields,
  networks: networkFields,
  services: serviceFields,
  credentials: credentialFields,
} as const satisfies Record<string, readonly Field[]>;

export type FormId = keyof typeof FORMS;
