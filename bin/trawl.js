#!/usr/bin/env node
import '../dist/trawl.js'
