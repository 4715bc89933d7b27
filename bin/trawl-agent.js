#!/usr/bin/env node
import '../dist/trawl-agent.js'
