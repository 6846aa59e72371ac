import { cause, clueOfLines, told } from '../cause.ts';

/** Who answers on 6443 speaks plain HTTP: the load balancer works in HTTP mode, or sends to another port. */
export const balancerHttpMode = cause(
  'balancer-http-mode',
  'balancer',
  (evidence) => {
    const { api, design } = evidence;
    const address = design?.endpoints.api[0] ?? 'API';
    const command = `curl -sI http://${address}:6443/`;
    if (api?.code === 'cluster-not-tls') return [{ likelihood: 'certain', subject: '', symptom: api.line, command }];
    if (api?.isUp) return [];
    return clueOfLines(told(evidence, /server gave HTTP response to HTTPS client/, 3).slice(-1), 'likely', command);
  },
  true,
);
