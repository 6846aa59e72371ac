import { diagnosticRule } from '../diagnostic-rule.ts';
import { haproxySections, lineSymptom } from './haproxy-file.ts';

/** A frontend on a cluster port uses a backend on another port: 22623 to the API, 443 to port 80. */
export const balancerBackendPortMismatch = diagnosticRule('balancer-port-mixed', 'balancer', (evidence) => {
  const sections = haproxySections(evidence);
  return sections.flatMap((section) => {
    if (section.binds.length === 0) return [];
    return section.lines.flatMap((line) => {
      const target = /^default_backend (\S+)/.exec(line)?.[1];
      const backend = sections.find(
        ({ host, kind, name }) => host === section.host && kind === 'backend' && name === target,
      );
      const members = backend?.members ?? [];
      const isOther = members.length > 0 && !members.some((port) => section.binds.includes(port));
      const description = `${line} (members on ${[...new Set(members)].join(', ')}; bind :${section.binds.join(', :')})`;
      return isOther ? [lineSymptom(section, description)] : [];
    });
  });
});
