/** A design with the required fields and little more, for the help page. */
export const SMALL_DESIGN = `apiVersion: upi-wizard/v1
kind: ClusterDesign
openshift: { version: "4.18" }
cluster: { name: ocp45, baseDomain: example.localdomain }
networks:
  machine: [{ cidr: 172.16.0.0/24, gateway: 172.16.0.254 }]
  company: [192.168.124.0/24]
endpoints: { api: 172.16.0.111, apiInt: 172.16.0.110, ingress: 172.16.0.111 }
nodes:
  - { name: bs, role: bootstrap, ip: 172.16.0.11, mac: "00:50:56:96:11:c2" }
  - { name: m1, role: control-plane, ip: 172.16.0.21, mac: "00:50:56:96:37:c8" }
  - { name: m2, role: control-plane, ip: 172.16.0.22, mac: "00:50:56:96:ec:a7" }
  - { name: m3, role: control-plane, ip: 172.16.0.23, mac: "00:50:56:96:e5:2f" }
  - { name: w1, role: compute, ip: 172.16.0.31, mac: "00:50:56:96:6b:da" }
  - { name: w2, role: compute, ip: 172.16.0.32, mac: "00:50:56:96:c1:c5" }
services:
  bastion: { name: bastion, ip: 172.16.0.101 }
  dns: { servers: [{ name: ns1, ip: 172.16.0.102 }], forwarders: [192.168.124.1] }
  loadBalancer: { servers: [{ name: lb1, ip: 172.16.0.112 }] }
  time: { servers: [192.168.124.1] }
credentials: { pullSecretFile: ./pull-secret.txt, sshKeyFile: ~/.ssh/id_ed25519.pub }
`;
