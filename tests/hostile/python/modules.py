# expect: P002
import os, sys
import socket as s
from subprocess import run
import ctypes, threading, importlib, gc, inspect, time, numpy
from . import other
from assay import *
class S(Strategy):
    def on_tick(self):
        import builtins
