# shellcheck shell=sh
# Source it on the bastion:  . /root/upi-wizard/env.sh
# UPI_WIZARD_DIR is the install directory: openshift-install and oc lie in its bin, the kubeconfig in its auth.
export UPI_WIZARD_DIR="${UPI_WIZARD_DIR:-/root/upi-wizard/cluster}"
case ":$PATH:" in
    *":$UPI_WIZARD_DIR/bin:"*) ;;
    *) export PATH="$UPI_WIZARD_DIR/bin:$PATH" ;;
esac
export KUBECONFIG="$UPI_WIZARD_DIR/auth/kubeconfig"
