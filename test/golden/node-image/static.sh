#!/bin/sh
# Adds nodes to a running cluster with an image that the cluster makes itself (oc adm node-image), in place of worker.ign.
#   sh node-image.sh create    lets the cluster make the image
#   sh node-image.sh monitor   shows how far the machines are, until they have joined (for 90 minutes at most)
#   sh node-image.sh approve   approves the requests that fit the design; each node sends two, some minutes apart
# Run create, start the machines, then monitor in one terminal and approve in another.
# It needs oc of the version of the cluster, rsync, and an administrator of the cluster. A mirror registry is found: oc reads
# the mirrors of the cluster. Names with their PTR records, DHCP and load balancer entries of the nodes have to exist before.
set -eu
# The image holds credentials of the cluster.
umask 077

[ -n "${KUBECONFIG:-}" ] || { echo 'Set KUBECONFIG to the kubeconfig file of the cluster.' >&2; exit 2; }
dir=/srv/ocp45/node-image

# log_in: the pull secret of the cluster has the login of its registry, of a mirror, too.
log_in() {
    mkdir -p -- "$dir"
    trap 'rm -f -- "$dir/pull-secret.json"' EXIT
    oc extract secret/pull-secret -n openshift-config --keys=.dockerconfigjson --to=- >"$dir/pull-secret.json"
}

create() {
    for node in w3.ocp45.example.localdomain i3.ocp45.example.localdomain; do
        if oc get node "$node" >/dev/null 2>&1; then
            printf '%s has joined the cluster: take it out of the design, and print this script again.\n' "$node" >&2
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
    # A pod in the cluster makes the image, in about ten minutes; oc finds nodes-config.yaml by its name.
    oc adm node-image create --dir "$dir" --registry-config "$dir/pull-secret.json" --certificate-authority '/srv/mirror ca.pem'
    # The same ISO starts all of these machines; it knows them by their MAC addresses.
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
