"""Where CUDA's programs are that read a GPU's machine code: cuobjdump and nvdisasm."""

import os
import shutil


def find(name):
    """The program's path, from the folder PHALANX_CUDA_TOOLS, on the path or beside nvcc; None where it is in none of them."""
    folders = [os.environ.get("PHALANX_CUDA_TOOLS", ""), os.environ["PATH"], "/usr/local/cuda/bin"]
    return shutil.which(name, path=os.pathsep.join(filter(None, folders)))
