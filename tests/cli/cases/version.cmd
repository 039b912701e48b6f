# "--version"
tracelathe --version
