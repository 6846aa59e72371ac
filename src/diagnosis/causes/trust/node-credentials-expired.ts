import { cause, clueOfLines, told } from '../cause.ts';

/** A node was off while its certificates ran out: it asks for new ones with its first login, and each request waits for a person. */
export const nodeCredentialsExpired = cause('node-credentials-expired', 'requests', (evidence) =>
  clueOfLines(
    told(evidence, /(?:bootstrap )?client certificate in \S+ is expired|client certificate is expired/i),
    'certain',
    'sudo openssl x509 -noout -enddate -in /var/lib/kubelet/pki/kubelet-client-current.pem',
  ),
);
