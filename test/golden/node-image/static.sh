#!/bin/sh
# Adds nodes to a running cluster with an image that the cluster builds (oc adm node-image), instead of worker.ign.
#   sh node-image.sh create    has the cluster build the image
#   sh node-image.sh monitor   shows the progress of the machines until they have joined (at most 90 minutes)
#   sh node-image.sh approve   approves the certificate requests that match the design, two for each node
# Run create, start the machines, then monitor in one terminal and approve in another.
# It needs oc in the version of the cluster, rsync, and cluster-admin permissions. With a mirror registry, oc reads the
# mirrors of the cluster. DNS names with PTR records, DHCP and load balancer entries of the nodes must exist before.
set -eu
# The image holds credentials of the cluster.
umask 077

[ -n "${KUBECONFIG:-}" ] || { echo 'Set KUBECONFIG to the kubeconfig file of the cluster.' >&2; exit 2; }
dir=/srv/ocp45/node-image

# log_in: saves the pull secret of the cluster, which has the logins of its registries, mirrors included.
log_in() {
    mkdir -p -- "$dir"
    trap 'rm -f -- "$dir/pull-secret.json"' EXIT
    oc extract secret/pull-secret -n openshift-config --keys=.dockerconfigjson --to=- >"$dir/pull-secret.json"
}

create() {
    for node in w3.ocp45.example.localdomain i3.ocp45.example.localdomain; do
        if oc get node "$node" >/dev/null 2>&1; then
            printf '%s has joined the cluster: remove it from the design, and print this script again.\n' "$node" >&2
            exit 1
        fi
    done
    log_in
    cat >"$dir/nodes-config.yaml" <<'NODES_CONFIG'
cpuArchitecture: amd64
hosts:
  - hostname: w3.ocp45.example.localdomain
    interfaces:
      - name: enp1s0
        macAddress: 00:50:56:96:e3:f5
    rootDeviceHints:
      deviceName: /dev/sda
    networkConfig:
      interfaces:
        - name: enp1s0
          type: ethernet
          state: up
          mac-address: 00:50:56:96:e3:f5
          ipv4:
            enabled: true
            dhcp: false
            address:
              - ip: 172.16.0.33
                prefix-length: 24
          ipv6:
            enabled: false
      dns-resolver:
        config:
          server:
            - 172.16.0.102
      routes:
        config:
          - destination: 0.0.0.0/0
            next-hop-address: 172.16.0.254
            next-hop-interface: enp1s0
            table-id: 254
  - hostname: i3.ocp45.example.localdomain
    interfaces:
      - name: eno1
        macAddress: 00:50:56:96:4d:03
      - name: eno2
        macAddress: MAC-OF-eno2
    rootDeviceHints:
      wwn: "0x5000c500a1b2c3d4"
    networkConfig:
      interfaces:
        - name: eno1
          type: ethernet
          state: up
          mac-address: 00:50:56:96:4d:03
          ipv4:
            enabled: false
          ipv6:
            enabled: false
        - name: eno2
          type: ethernet
          state: up
          mac-address: MAC-OF-eno2
          ipv4:
            enabled: false
          ipv6:
            enabled: false
        - name: bond0
          type: bond
          state: up
          link-aggregation:
            mode: active-backup
            port:
              - eno1
              - eno2
          ipv4:
            enabled: false
          ipv6:
            enabled: false
        - name: bond0.100
          type: vlan
          state: up
          vlan:
            base-iface: bond0
            id: 100
          ipv4:
            enabled: true
            dhcp: false
            address:
              - ip: 172.16.0.43
                prefix-length: 24
          ipv6:
            enabled: false
      dns-resolver:
        config:
          server:
            - 172.16.0.102
      routes:
        config:
          - destination: 0.0.0.0/0
            next-hop-address: 172.16.0.254
            next-hop-interface: bond0.100
            table-id: 254
NODES_CONFIG
    # A pod in the cluster builds the image, in about ten minutes. The name nodes-config.yaml is fixed in oc.
    oc adm node-image create --dir "$dir" --registry-config "$dir/pull-secret.json" --certificate-authority '/srv/mirror ca.pem'
    # The same ISO boots all of these machines; it recognizes them by their MAC addresses.
    echo "Start the machines from $dir/node.x86_64.iso, once: as virtual media, or from a USB stick. Then: monitor, and approve in another terminal."
}

monitor() {
    log_in
    oc adm node-image monitor --ip-addresses 172.16.0.33,172.16.0.43 --registry-config "$dir/pull-secret.json" --certificate-authority '/srv/mirror ca.pem'
}

approve() {
    upi-wizard csr approve --expected --dir /srv/ocp45
}

case "${1:-}" in
create | monitor | approve) "$1" ;;
*)
    echo 'Usage: sh node-image.sh create|monitor|approve' >&2
    exit 2
    ;;
esac
