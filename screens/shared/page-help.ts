import { catalogue } from '../../src/i18n/catalogue.ts';
import type { StepId } from '../../src/steps/contract.ts';
import { isStep, type ScreenId, type WizardState } from '../../src/wizard/state.ts';

import type { Screen } from './screen.ts';

type Term = keyof ReturnType<typeof catalogue>['glossary']['terms'];

/** The glossary terms that each page uses. */
const PAGE_TERMS: Readonly<Record<ScreenId, readonly Term[]>> = {
  welcome: ['upi', 'bootstrap', 'controlPlane', 'ignition', 'rhcos', 'pullSecret'],
  cluster: ['upi', 'controlPlane', 'wildcard'],
  networks: ['endpoint', 'ingress', 'vip', 'wildcard'],
  nodes: ['bootstrap', 'controlPlane', 'pool'],
  services: ['endpoint', 'vip', 'ptr', 'wildcard', 'ipxe', 'taint', 'pool'],
  credentials: ['pullSecret', 'ignition'],
  review: ['endpoint', 'vip', 'bootstrap', 'controlPlane'],
  generate: ['installConfig', 'ipxe', 'ptr', 'wildcard'],
  hosts: ['endpoint', 'vip', 'ptr', 'wildcard'],
  prepare: ['manifests', 'ignition', 'rhcos', 'ipxe'],
  boot: ['ipxe', 'rhcos', 'ignition', 'bootstrap'],
  bootstrap: ['bootstrap', 'controlPlane', 'operator', 'endpoint'],
  'bootstrap-removal': ['bootstrap', 'endpoint'],
  certificates: ['csr', 'serving', 'ignition'],
  operators: ['operator', 'ingress', 'kubeconfig'],
  infra: ['pool', 'taint', 'toleration', 'ingress'],
  report: ['kubeconfig', 'csr'],
};

/** Lists the glossary terms of a page, each with a link to the documentation. */
export function listTerms({ id }: Pick<Screen, 'id'>): readonly string[] {
  const { title, terms } = catalogue().glossary;
  const lines = PAGE_TERMS[id].flatMap((term) => [`${terms[term].name}: ${terms[term].definition}`, terms[term].link]);
  return [title, ...lines];
}

/** Returns the help page (Ctrl-G): the current context, then what the step does, why, and what can go wrong. */
export function getPageHelp({ id, help }: Pick<Screen, 'id' | 'help'>, state: WizardState): readonly string[] {
  return [...help(state), ...(isStep(id) ? describeStep(id) : [])];
}

/**
 * Describes a step, one paragraph each: what it does, why, how long it takes, what can go wrong, and what comes next.
 */
export function describeStep(id: StepId): string[] {
  const { titles, steps } = catalogue().stepHelp;
  const parts = ['now', 'why', 'lasts', 'wrong', 'next'] as const;
  return parts.map((part) => `${titles[part]}: ${steps[id][part]}`);
}
