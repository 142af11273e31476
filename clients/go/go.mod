module signing-service.internal/signing

go 1.22
