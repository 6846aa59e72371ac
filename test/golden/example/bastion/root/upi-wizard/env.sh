# shellcheck shell=sh
# Environment for the shell on the bastion: openshift-install, oc and the kubeconfig of the cluster.
#   . /root/upi-wizard/env.sh
# The install directory is upi-cluster in the home directory, unless UPI_WIZARD_DIR names another one.
export UPI_WIZARD_DIR="${UPI_WIZARD_DIR:-$HOME/upi-cluster}"
case ":$PATH:" in
    *":$UPI_WIZARD_DIR:"*) ;;
    *) export PATH="$UPI_WIZARD_DIR:$PATH" ;;
esac
export KUBECONFIG="$UPI_WIZARD_DIR/auth/kubeconfig"
