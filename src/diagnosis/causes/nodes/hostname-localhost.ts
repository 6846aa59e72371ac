import { shell } from '../../../text/shell-word.ts';
import { cause, clueOfLines, cluesOf, told } from '../cause.ts';
import { isLocalhost, wrongReverse } from '../names/ptr-missing.ts';

/** A node that got no name calls itself localhost: it waits for one, or joins under a name that nobody planned. */
export const hostnameLocalhost = cause('hostname-localhost', 'dns', (evidence) => {
  const { nodes, requests } = evidence.cluster ?? {};
  const isLocal = (name: string | null) => name !== null && /^localhost(?:\.|$)/.test(name);
  const asked = (requests ?? []).filter(
    ({ reasons, node, verdict }) => verdict === 'refused' && (reasons.includes('LOCALHOST') || isLocal(node)),
  );
  const clues = [
    ...asked.map(({ name, requester }) => ({
      symptom: `${name} ${requester} system:node:localhost`,
      command: shell`oc describe csr ${name}`,
    })),
    ...(nodes ?? [])
      .filter(({ name }) => isLocal(name))
      .map(({ name }) => ({ symptom: `Node ${name}`, command: 'oc get nodes -o wide' })),
  ].map((clue) => ({ ...clue, likelihood: 'certain' as const, subject: '' }));
  const lines = told(
    evidence,
    /node-valid-hostname(?!\S* ?.*(?:Deactivated successfully|Succeeded))|waiting for (?:a )?non-localhost|host ?name[^/]*\blocalhost(?:\.localdomain)?\b|node "?localhost/i,
  );
  return [
    ...cluesOf(wrongReverse(evidence).filter(isLocalhost), 'certain'),
    ...clues,
    ...clueOfLines(lines, 'likely', 'hostnamectl; dig -x "$(hostname -I | cut -d" " -f1)"'),
  ];
});
