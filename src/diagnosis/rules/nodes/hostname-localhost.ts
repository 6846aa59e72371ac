import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, matchLogLines, symptomsFromChecks, symptomsFromLines } from '../diagnostic-rule.ts';
import { isLocalhostPtr, listWrongPtrRecords } from '../names/ptr-missing.ts';

/** A node without a name calls itself localhost: it waits for a name, or joins under an unplanned one. */
export const hostnameLocalhost = diagnosticRule('hostname-localhost', 'dns', (evidence) => {
  const { nodes, requests } = evidence.cluster ?? {};
  const isLocal = (name: string | null) => name !== null && /^localhost(?:\.|$)/.test(name);
  const refused = (requests ?? []).filter(
    ({ reasons, node, verdict }) => verdict === 'refused' && (reasons.includes('LOCALHOST') || isLocal(node)),
  );
  const symptoms = [
    ...refused.map(({ name, requester }) => ({
      symptom: `${name} ${requester} system:node:localhost`,
      command: shellCommand`oc describe csr ${name}`,
    })),
    ...(nodes ?? [])
      .filter(({ name }) => isLocal(name))
      .map(({ name }) => ({ symptom: `Node ${name}`, command: 'oc get nodes -o wide' })),
  ].map((each) => ({ ...each, likelihood: 'certain' as const, subject: '' }));
  const lines = matchLogLines(
    evidence,
    /node-valid-hostname(?!\S* ?.*(?:Deactivated successfully|Succeeded))|waiting for (?:a )?non-localhost|host ?name[^/]*\blocalhost(?:\.localdomain)?\b|node "?localhost/i,
  );
  return [
    ...symptomsFromChecks(listWrongPtrRecords(evidence).filter(isLocalhostPtr), 'certain'),
    ...symptoms,
    ...symptomsFromLines(lines, 'likely', 'hostnamectl; dig -x "$(hostname -I | cut -d" " -f1)"'),
  ];
});
