cd-plot --histogram m --log-x
