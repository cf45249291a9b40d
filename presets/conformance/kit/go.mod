module github.com/retryscope/retryscope/presets/conformance/kit

go 1.26.7
