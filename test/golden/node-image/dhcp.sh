#!/bin/sh
# Adds nodes to a running cluster with an image that the cluster builds (oc adm node-image), instead of worker.ign.
#   sh node-image.sh create    has the cluster build the image, and copies its files to the boot server
#   sh node-image.sh monitor   shows the progress of the machines until they have joined (at most 90 minutes)
#   sh node-image.sh approve   approves the certificate requests that match the design, two for each node
#   sh node-image.sh restore   restores the boot scripts of the design
# Run create, start the machines, then monitor in one terminal and approve in another; restore at the end.
# It needs oc in the version of the cluster, rsync, and cluster-admin permissions. With a mirror registry, oc reads the
# mirrors of the cluster. DNS names with PTR records, DHCP and load balancer entries of the nodes must exist before.
set -eu
# The image holds credentials of the cluster.
umask 077

export KUBECONFIG=/srv/ocp45/auth/kubeconfig
dir=/srv/ocp45/node-image
# The boot server of upi-wizard serves these directories; it installs a node only after Prepare has run for that node.
# With another web server, set the directories that it serves as /ipxe and /images.
web_root=/srv/ocp45/files/bastion/var/www/upi-wizard
images=/srv/images

# log_in: saves the pull secret of the cluster, which has the logins of its registries, mirrors included.
log_in() {
    mkdir -p -- "$dir"
    trap 'rm -f -- "$dir/pull-secret.json"' EXIT
    oc extract secret/pull-secret -n openshift-config --keys=.dockerconfigjson --to=- >"$dir/pull-secret.json"
}

# save FILE: writes standard input to a boot script, after a backup; an empty backup means that there was no script.
save() {
    (umask 022 && mkdir -p -- "$(dirname -- "$1")")
    if [ ! -f "$dir/before$1" ]; then
        mkdir -p -- "$(dirname -- "$dir/before$1")"
        if [ -f "$1" ]; then cp -p -- "$1" "$dir/before$1"; else : >"$dir/before$1"; fi
    fi
    cat >"$1"
    chmod 0644 -- "$1"
}

create() {
    log_in
    cat >"$dir/nodes-config.yaml" <<'NODES_CONFIG'
cpuArchitecture: amd64
hosts:
  - hostname: w3.ocp45.example.localdomain
    interfaces:
      - name: eth0
        macAddress: 00:50:56:96:e3:f5
    rootDeviceHints:
      deviceName: /dev/sda
  - hostname: i3.ocp45.example.localdomain
    interfaces:
      - name: eth0
        macAddress: 00:50:56:96:4d:03
    rootDeviceHints:
      deviceName: /dev/sda
NODES_CONFIG
    # A pod in the cluster builds the image, in about ten minutes. The name nodes-config.yaml is fixed in oc.
    oc adm node-image create --pxe --dir "$dir" --registry-config "$dir/pull-secret.json"
    # oc saves the files in the directory boot-artifacts of $dir, or in $dir itself.
    for file in node.x86_64-vmlinuz node.x86_64-initrd.img node.x86_64-rootfs.img; do
        from="$dir/boot-artifacts/$file"
        [ -f "$from" ] || from="$dir/$file"
        install -D -m 0644 -- "$from" "$images/$file"
    done
    save "$web_root"/ipxe/00-50-56-96-e3-f5.ipxe <<'BOOT_SCRIPT'
#!ipxe
# w3.ocp45.example.localdomain (compute, 172.16.0.33): installs RHCOS from oc adm node-image on /dev/sda
# A command that fails ends this script, and the menu of boot.ipxe shows the reason.
imgfree
set installable yes
set reason ${mac:hexhyp}: the kernel could not be loaded from the boot server
kernel http://172.16.0.101:8080/images/node.x86_64-vmlinuz initrd=main coreos.live.rootfs_url=http://172.16.0.101:8080/images/node.x86_64-rootfs.img ignition.firstboot ignition.platform.id=metal
set reason ${mac:hexhyp}: the initramfs could not be loaded from the boot server
initrd --name main http://172.16.0.101:8080/images/node.x86_64-initrd.img
set reason ${mac:hexhyp}: the kernel did not start
boot
BOOT_SCRIPT
    save "$web_root"/ipxe/00-50-56-96-4d-03.ipxe <<'BOOT_SCRIPT'
#!ipxe
# i3.ocp45.example.localdomain (infra, 172.16.0.43): installs RHCOS from oc adm node-image on /dev/sda
# A command that fails ends this script, and the menu of boot.ipxe shows the reason.
imgfree
set installable yes
set reason ${mac:hexhyp}: the kernel could not be loaded from the boot server
kernel http://172.16.0.101:8080/images/node.x86_64-vmlinuz initrd=main coreos.live.rootfs_url=http://172.16.0.101:8080/images/node.x86_64-rootfs.img ignition.firstboot ignition.platform.id=metal
set reason ${mac:hexhyp}: the initramfs could not be loaded from the boot server
initrd --name main http://172.16.0.101:8080/images/node.x86_64-initrd.img
set reason ${mac:hexhyp}: the kernel did not start
boot
BOOT_SCRIPT
    # With the network first, a node would be installed again after its disk is written.
    echo 'Start the machines: disk first, network second in their boot order. Then: monitor, and approve in another terminal.'
}

monitor() {
    log_in
    oc adm node-image monitor --ip-addresses 172.16.0.33,172.16.0.43 --registry-config "$dir/pull-secret.json"
}

approve() {
    upi-wizard csr approve --expected --dir /srv/ocp45
}

restore() {
    for file in "$web_root"/ipxe/00-50-56-96-e3-f5.ipxe "$web_root"/ipxe/00-50-56-96-4d-03.ipxe; do
        [ -f "$dir/before$file" ] || continue
        if [ -s "$dir/before$file" ]; then cp -p -- "$dir/before$file" "$file"; else rm -f -- "$file"; fi
        rm -f -- "$dir/before$file"
    done
}

case "${1:-}" in
create | monitor | approve | restore) "$1" ;;
*)
    echo 'Usage: sh node-image.sh create|monitor|approve|restore' >&2
    exit 2
    ;;
esac
