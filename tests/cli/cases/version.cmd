# "--version"
tracelathe --version | sed "/^built without /d"
