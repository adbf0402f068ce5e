cd-step --advance
