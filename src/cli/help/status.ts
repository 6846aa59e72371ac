import { catalogue } from '../../i18n/catalogue.ts';
import { STEP_IDS } from '../../steps/contract.ts';
import { type Block, heading, terms, text } from './page.ts';

/** Returns the output of `status`, with the stages from the table of steps. */
export function statusPage(): readonly Block[] {
  const { intro, watch, clusterTitle, cluster, kubeconfigTitle, kubeconfig, jsonTitle, json } = catalogue().help.status;
  const { stages } = catalogue().live.status;
  return [
    text(intro),
    text(watch),
    heading(clusterTitle),
    text(cluster),
    heading(kubeconfigTitle),
    text(kubeconfig),
    heading(jsonTitle),
    text(json),
    terms(STEP_IDS.map((name) => ({ name, lines: [stages[name]] }))),
  ];
}
