# shellcheck shell=sh
# The shell of the bastion: openshift-install, oc and the kubeconfig of the cluster.
#   . /root/upi-wizard/env.sh
# The install directory is upi-cluster in the home directory, unless UPI_WIZARD_DIR says otherwise.
export UPI_WIZARD_DIR="${UPI_WIZARD_DIR:-$HOME/upi-cluster}"
case ":$PATH:" in
    *":$UPI_WIZARD_DIR:"*) ;;
    *) export PATH="$UPI_WIZARD_DIR:$PATH" ;;
esac
export KUBECONFIG="$UPI_WIZARD_DIR/auth/kubeconfig"
