// The minimum cost of one probe: one LIST over TLS with Node.js's own client. argv: a kubeconfig in JSON, and the path.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const [file = '', path = ''] = process.argv.slice(2);
const { clusters, users } = JSON.parse(readFileSync(file, 'utf8'));
const { cluster } = clusters[0];
const { user } = users[0];
const bytes = (text: string) => Buffer.from(text, 'base64');
request(
  new URL(path, cluster.server),
  {
    ca: bytes(cluster['certificate-authority-data']),
    cert: bytes(user['client-certificate-data']),
    key: bytes(user['client-key-data']),
    servername: cluster['tls-server-name'],
    headers: { Accept: 'application/json' },
  },
  (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => {
      if (JSON.parse(Buffer.concat(chunks).toString()).items.length === 0) process.exitCode = 1;
    });
  },
).end();
