/** The certificates with their keys, as one text each. */
export interface NodeCertificates {
  readonly api: string;
  readonly machineConfig: string;
  readonly routes: string;
  /** The authority of the kubeconfig. */
  readonly apiAuthority: { readonly certPem: string; readonly keyPem: string };
}

/**
 * Renders the configuration of an nginx that stands in for a node: the API at 6443 and the Machine Config Server at
 * 22623 of a control plane node, the routers at 443 and 80 of the others.
 */
export function renderNodeServer(dir: string, name: string, role: string): string {
  const isControlPlane = role === 'bootstrap' || role === 'control-plane';
  const tls = (port: number, certificate: string, locations: string) => `
    server {
        listen ${port} ssl;
        ssl_certificate ${dir}/nodes/${certificate}.pem;
        ssl_certificate_key ${dir}/nodes/${certificate}.pem;
${locations}
    }`;
  const list = '{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}';
  const api = `        location = /readyz { return 200 "ok"; }
        location = /version { return 200 '{"gitVersion":"v1.31.7"}'; }
        location /api { default_type application/json; return 200 '${list}'; }`;
  const machineConfig = `        location = /healthz { return 200 ""; }
        location / { return 500 "no rendered config yet"; }`;
  const servers = isControlPlane
    ? [tls(6443, 'api', api), tls(22623, 'machine-config', machineConfig)]
    : [
        tls(443, 'routes', '        return 503 "no such route";'),
        '    server { listen 80; return 503 "no such route"; }',
      ];
  return `user root;
daemon off;
worker_processes 1;
pid ${dir}/nodes/${name}.pid;
error_log stderr;
events { worker_connections 256; }
http {
    access_log off;
    server_tokens off;
    client_body_temp_path ${dir}/nodes/${name}-body; proxy_temp_path ${dir}/nodes/${name}-proxy;
    fastcgi_temp_path ${dir}/nodes/${name}-f; uwsgi_temp_path ${dir}/nodes/${name}-u; scgi_temp_path ${dir}/nodes/${name}-s;
${servers.join('\n')}
}
`;
}
